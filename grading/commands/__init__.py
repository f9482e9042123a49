"""The verbs of `tito grade` and the author's verbs, each in one file; tito finds them by name."""
