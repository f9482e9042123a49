"""Runs the laws on variants of a module: its reference, right and wrong solutions, mutants."""
