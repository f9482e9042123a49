"""`tito dev check`: the course proves itself, point by point."""
