"""The student's work: how far it is, and what becomes of it in the package."""
