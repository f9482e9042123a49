"""The class report as one self-contained HTML page: readable on a screen, a phone and A4,
without script.
"""

from __future__ import annotations

from html import escape

from grading.engine.class_facts import ClassFacts
from grading.engine.pages.report_plots import (
    marks_finding,
    marks_picture,
    tests_finding,
    tests_picture,
)
from grading.engine.texts import page, table

STYLE = """
td code { white-space: nowrap; }
@media (max-width: 600px) { td code { white-space: normal; } }
figure img { display: block; width: 100%; max-width: 44rem; }
.facts {
  display: flex; flex-wrap: wrap; gap: .3rem 1.6rem;
  padding: 0; margin: .6rem 0 0; list-style: none;
}
.facts b { font-size: 1.25rem; }
"""


def report_page(facts: ClassFacts) -> str:
    """HTML of the report; every text that a student or a file chose is escaped."""
    parts = [
        (
            f"<h1>{escape(facts.assignment)}:"
            f" {escape(marks_finding(facts)) if facts.graded else 'nothing was handed in'}</h1>"
        ),
        _facts(facts),
    ]
    if facts.graded:
        parts.append(_figure(marks_picture(facts), _marks_alt(facts), _marks_caption(facts)))
    parts += [_people(facts), _tests(facts), _beliefs(facts), _students(facts)]
    return page(
        f"{facts.assignment}: class report", "\n".join(part for part in parts if part), STYLE
    )


def _facts(facts: ClassFacts) -> str:
    counts = (
        ("graded", len(facts.graded)),
        ("missing", len(facts.missing)),
        ("late", len(facts.late)),
        ("need a person", len(facts.review)),
        ("flagged", len({one.student for one in facts.flagged})),
        ("grades wait", facts.waiting),
    )
    return (
        '<ul class="facts">'
        + "".join(f"<li><b>{count}</b> {escape(name)}</li>" for name, count in counts)
        + "</ul>"
    )


def _figure(address: str, alt: str, caption: str) -> str:
    return (
        f'<figure><img src="{address}"'
        f' alt="{escape(alt)}"><figcaption>{escape(caption)}</figcaption></figure>'
    )


def _marks_alt(facts: ClassFacts) -> str:
    points = facts.marks.points
    return (
        f"Histogram of {len(points)} marks from {points[0]:g} to {points[-1]:g} of"
        f" {facts.max_points:g} points; median {facts.marks.median:g}."
    )


def _marks_caption(facts: ClassFacts) -> str:
    quartiles = facts.marks.quartiles
    text = f"Mean {facts.marks.mean:g}"
    text += (
        f"; the middle half lies between {quartiles[0]:g} and {quartiles[2]:g}" if quartiles else ""
    )
    return text + (
        f". {facts.waiting} grades wait for a person and count as 0 here." if facts.waiting else "."
    )


def _tests(facts: ClassFacts) -> str:
    if not facts.tests:
        return ""
    several = len({one.cell for one in facts.tests}) < len(facts.tests)
    header = [
        "test",
        *(["cell"] if several else []),
        "passed",
        "share",
        "stub",
        "not run",
        "most read when it failed",
    ]
    rows = []
    for one in facts.tests:
        said = f"{escape(one.said[0])} ({one.said[1]})" if one.said else ""
        share = "-" if one.fraction is None else f"{one.fraction * 100:.0f} %"
        rows.append(
            [
                escape(one.title),
                *([f"<code>{escape(one.cell)}</code>"] if several else []),
                f"{one.passed} of {one.met}",
                share,
                str(one.stub or ""),
                str(one.not_run or ""),
                said,
            ]
        )
    picture = ""
    if any(one.fraction is not None for one in facts.tests):
        worst = "; ".join(f"{one.title} {one.passed} of {one.met}" for one in facts.tests[:5])
        picture = _figure(
            tests_picture(facts),
            f"Bars, the tests that fewest pass first: {worst}.",
            "The tests that fewest pass. The table below has all of them.",
        )
    first = 2 if several else 1
    return f"<h2>{escape(tests_finding(facts))}</h2>{picture}" + table(
        header, rows, range(first, first + 4)
    )


def _beliefs(facts: ClassFacts) -> str:
    found = facts.misconceptions
    if not found:
        return ""
    top = found[0]
    finding = f"Most frequent belief, {len(top.students)} of {len(facts.graded)}: {top.believed[0]}"
    rows = [
        [
            str(len(one.students)),
            "<br>or: ".join(escape(text) for text in one.believed),
            f"<code>{escape(one.test)}</code>",
            escape(one.reads),
        ]
        for one in found
    ]
    return (
        f'<h2>{escape(finding)}</h2>\n<p class="quiet">Read from the sentence that a failed test'
        " showed. Where several beliefs lead to one sentence, all are listed.</p>"
        + table(["students", "what they may believe", "test", "what they read"], rows, [0])
    )


def _people(facts: ClassFacts) -> str:
    """Everything that a person has to look at, above everything else."""
    parts = []
    if facts.flagged:
        rows = [
            [escape(one.student), f"<code>{escape(one.cell)}</code>", escape(one.text)]
            for one in facts.flagged
        ]
        parts.append(
            f"<h2>{len({one.student for one in facts.flagged})} flagged: look before you"
            " decide</h2>" + table(["student", "cell", "what was seen"], rows)
        )
    if facts.review:
        rows = [
            [escape(one.student), "<br>".join(escape(reason) for reason in one.reasons)]
            for one in facts.review
        ]
        parts.append(
            f"<h2>{len(rows)} could not be graded to the end</h2>" + table(["student", "why"], rows)
        )
    if facts.late:
        rows = [
            [
                escape(one.student),
                f"{one.late_seconds / 3600:.1f}",
                f"{one.total:g}",
                f"{one.penalty:g}",
                f"{one.final:g}",
            ]
            for one in facts.late
        ]
        parts.append(
            f"<h2>{len(rows)} late</h2>"
            + table(["student", "hours", "points", "penalty", "after it"], rows, range(1, 5))
        )
    if facts.missing:
        parts.append(
            f"<h2>{len(facts.missing)}"
            f" missing</h2><p>{', '.join(escape(name) for name in facts.missing)}</p>"
        )
    if facts.slowest:
        names = ", ".join(f"{escape(one.student)} {one.seconds:.1f} s" for one in facts.slowest)
        parts.append(f"<h2>Slowest to grade</h2><p>{names}</p>")
    return "\n".join(parts)


def _students(facts: ClassFacts) -> str:
    rows = [
        [
            escape(one.student),
            escape(one.status.replace("_", " ")),
            f"{one.total:g}",
            f"{one.penalty:g}" if one.penalty else "",
            f"{one.final:g}",
            str(one.waiting or ""),
        ]
        for one in facts.students
    ]
    return "<h2>Everybody</h2>" + table(
        ["student", "status", "points", "penalty", "after it", "wait"], rows, range(2, 6)
    )
