"""The verbs of `tito site`, one a file."""
