"""The HTML pages that students and instructors read."""
