"""A module's notebook: its cells, the percent format, the pair of .ipynb and .py, the starter."""
