"""A class: its course directory, its assignments, its students."""
