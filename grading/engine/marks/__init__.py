"""Everything done with marks: grading by hand, late penalties, tables, feedback, class report."""
