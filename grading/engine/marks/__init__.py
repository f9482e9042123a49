"""What is done with marks: by hand, late, tables, feedback, the class report."""
