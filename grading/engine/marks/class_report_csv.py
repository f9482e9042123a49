"""The CSV files beside the class report: marks.csv and tests.csv."""

from grading.engine.class_report_contents import ClassFacts
from grading.engine.marks import export_tables
from grading.engine.safe_text import csv_text


def marks_csv(facts: ClassFacts) -> str:
    """A line per student."""
    flags = {one.student: facts.flags[one.student] for one in facts.students}
    columns = (*export_tables.FACTS, "late_seconds")
    return export_tables.as_csv(facts.students, columns, seconds=facts.seconds, flags=flags)


def tests_csv(facts: ClassFacts) -> str:
    """A line per test, in the order of the report."""
    counts = ("met", "passed", "fraction", "stub", "not_run", "discrimination", "doubt")
    columns = ("cell", "test", "points", *counts)
    lines = [
        [*(getattr(one, name) for name in columns), *(one.said or ("", 0))] for one in facts.tests
    ]
    return csv_text([*columns, "said", "said_count"], lines)
