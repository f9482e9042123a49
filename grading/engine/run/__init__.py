"""Grading a class: a batch, its pool of processes, and what happens to one submission."""
