"""The steps of nbgrader that this course replaces, and the configuration that lists them."""
