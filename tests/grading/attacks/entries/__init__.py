"""The catalogue, one file for each thing that an attack is after."""
