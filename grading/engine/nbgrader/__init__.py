"""The one place that imports nbgrader."""
