"""The catalogue, with one file for each aim of an attack."""
