"""The verbs of `tito grade` and the author's verbs, one a file; tito finds them by name."""
