"""Runs a notebook in a kernel that is not trusted."""
