"""A notebook run against a kernel that may not be believed."""
