"""nbgrader itself: the one place that imports it."""
