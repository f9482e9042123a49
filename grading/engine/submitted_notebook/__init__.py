"""A submitted notebook: its cells are matched with the release, put in its place, run in a kernel
that is not trusted, and scored.
"""
