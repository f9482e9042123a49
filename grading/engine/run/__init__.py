"""Grading a class: the batch, its pool of processes, and the grading of one submission."""
