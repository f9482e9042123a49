"""Hostile and broken submissions, graded in one class with honest neighbors."""
