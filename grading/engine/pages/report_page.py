"""The class report as one self-contained HTML page without scripts, readable on a screen, a phone
and A4 paper.
"""

from dataclasses import dataclass

from grading.engine.class_report_contents import ClassFacts
from grading.engine.pages.render import rendered
from grading.engine.pages.report_plots import (
    fewest_first,
    marks_finding,
    marks_picture,
    tests_finding,
    tests_picture,
)
from grading.engine.safe_text import grades_wait


@dataclass(frozen=True)
class Picture:
    """A picture with its texts; `address` is a data URL with the picture itself."""

    address: str
    alt: str
    caption: str


def report_page(facts: ClassFacts) -> str:
    tests = facts.tests
    counts = [
        (len(facts.graded), "graded"),
        (len(facts.missing), "missing"),
        (len(facts.late), "late"),
        (len(facts.review), "graded in part"),
        (_flagged(facts), "flagged"),
        (facts.waiting, "grades to give"),
    ]
    return rendered(
        "report.html.j2",
        title=f"{facts.assignment}: class report",
        facts=facts,
        counts=counts,
        flagged=_flagged(facts),
        finding=marks_finding(facts) if facts.graded else "nothing was handed in",
        marks=_marks(facts) if facts.graded else None,
        tests=_tests(facts) if any(one.fraction is not None for one in tests) else None,
        tests_finding=tests_finding(facts),
        several=len({one.cell for one in tests}) < len(tests),
    )


def _flagged(facts: ClassFacts) -> int:
    return len({one.student for one in facts.flagged})


def _marks(facts: ClassFacts) -> Picture:
    points, quartiles = facts.marks.points, facts.marks.quartiles
    caption = f"Mean {facts.marks.mean:g}"
    if quartiles:
        caption += f"; the middle half lies between {quartiles[0]:g} and {quartiles[2]:g}"
    caption += "."
    if facts.waiting:
        caption += f" {grades_wait(facts.waiting)}, counted as 0 here."
    return Picture(
        marks_picture(facts),
        f"Histogram of {len(points)} marks from {points[0]:g} to {points[-1]:g} of"
        f" {facts.max_points:g} points; median {facts.marks.median:g}.",
        caption,
    )


def _tests(facts: ClassFacts) -> Picture:
    worst = "; ".join(f"{one.title} {one.passed} of {one.met}" for one in fewest_first(facts)[:5])
    return Picture(
        tests_picture(facts),
        f"Bars, the tests that fewest pass first: {worst}.",
        "The tests that fewest pass. The table below has all of them.",
    )
