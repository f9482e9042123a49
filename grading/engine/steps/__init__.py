"""nbgrader's steps as this course changes them, and the configuration that names them."""
