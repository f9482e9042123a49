"""The top of a feedback page: what cost points and why, what still waits for a person, and what
is complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from grading.engine.results import CellMark
from tito.outcome import Outcome

STYLE = """<style>
.tito-summary {
  font-size: 15px; line-height: 1.45; color: #1a1a1a; background: #fff; padding: 4px 0;
}
.tito-summary h5 { font-size: 17px; font-weight: 600; margin: 1.2em 0 .4em; }
.tito-summary table { width: 100%; border-collapse: collapse; table-layout: fixed; }
.tito-summary th, .tito-summary td {
  text-align: left; vertical-align: top; padding: 6px 8px; border-top: 1px solid #c8c8c8;
  overflow-wrap: anywhere;
}
.tito-summary .cell { width: 27%; } .tito-summary .points { width: 7em; }
.tito-summary a { color: #0b5394; text-decoration: underline; }
.tito-summary dl { margin: 0 0 .7em; } .tito-summary dt { font-weight: 600; }
.tito-summary dd { margin: 0; padding-left: 6.5em; text-indent: -6.5em; }
.tito-summary dd b {
  display: inline-block; width: 6.5em; text-indent: 0; font-weight: 400; color: #555;
}
.tito-summary code {
  color: #1a1a1a; background: none; padding: 0; white-space: pre-wrap; text-indent: 0;
  font-size: 13px;
}
@media (max-width: 600px) {
  .tito-summary table, .tito-summary tbody, .tito-summary tr, .tito-summary td {
    display: block; width: auto !important;
  }
  .tito-summary thead { display: none; }
  .tito-summary td { border-top: 0; padding: 2px 0; }
  .tito-summary tr { border-top: 1px solid #c8c8c8; display: block; padding: 6px 0; }
  div.prompt { min-width: 0 !important; display: none; } .container { padding: 0 8px; }
}
</style>
"""
_STATES = {
    "your_turn": "This cell still holds its stub.",
    "timeout": "It did not come to an end in its time.",
    "not_run": "It was not run.",
}
_NAMES = (("called", "call"), ("got", "got"), ("wanted", "want"), ("look at", "look"))


@dataclass(frozen=True)
class Entry:
    """A cell with points as the gradebook has it now.

    Attributes:
        mark: what the machine found.
        score: None while nobody graded it.
        given: the points were given by a person.
        comment: a person's.
    """

    mark: CellMark
    score: float | None
    given: bool = False
    comment: str | None = None


def summary(entries: list[Entry], remarks: list[str], *, review: bool, penalty: float = 0.0) -> str:
    """HTML of the summary; whatever a student's program wrote is escaped.

    Args:
        entries: one for each cell with points, in order.
        remarks: about the submission as a whole.
        review: a person has to look at the submission.
        penalty: points that lateness costs.
    """
    waiting = [entry for entry in entries if entry.score is None]
    lost = [
        entry
        for entry in entries
        if entry.score is not None and entry.score < entry.mark.max_points
    ]
    full = [
        entry
        for entry in entries
        if entry.score is not None and entry.score >= entry.mark.max_points
    ]
    total, most = (
        sum(entry.score or 0 for entry in entries),
        sum(entry.mark.max_points for entry in entries),
    )
    open_points = sum(entry.mark.max_points for entry in waiting)
    parts = [
        STYLE,
        '<div id="toc" class="tito-summary">',
        f"<p><strong>{total:g} of {most:g} points</strong>"
        + (f"; {open_points:g} of them wait for a person" if waiting else "")
        + ".</p>",
    ]
    if penalty:
        parts.append(
            f"<p>Handed in late: {total:g} - {penalty:g} = <strong>{round(total - penalty, 2):g}"
            " points</strong>.</p>"
        )
    if review:
        parts.append("<p><strong>A person looks at this submission.</strong></p>")
    parts += [f"<p>{escape(remark)}</p>" for remark in remarks]
    stubs = [
        entry
        for entry in lost
        if entry.mark.kind == "test" and entry.mark.status == "your_turn" and not entry.given
    ]
    wrong = [entry for entry in lost if entry not in stubs]
    if wrong:
        parts.append("<h5>What cost points</h5>" + _table(wrong))
    if stubs:
        points = sum(entry.mark.max_points - (entry.score or 0) for entry in stubs)
        links = ", ".join(
            f'<a href="#{escape(entry.mark.grade_id)}">{escape(entry.mark.grade_id)}</a>'
            for entry in stubs
        )
        parts.append(
            f"<h5>Not written yet: {len(stubs)} tests met a stub, {points:g}"
            f" points</h5><p>{links}</p>"
        )
    if not lost and not waiting:
        parts.append("<p>Nothing cost points.</p>")
    if waiting:
        parts.append("<h5>Waits for a person</h5>" + _table(waiting))
    if full:
        parts.append(
            f"<details><summary>{len(full)} with all their points</summary>{_table(full)}</details>"
        )
    return "\n".join([*parts, "</div>"])


def _table(entries: list[Entry]) -> str:
    rows = [
        '<tr><td class="cell"><a'
        f' href="#{escape(entry.mark.grade_id)}">{escape(entry.mark.grade_id)}</a></td><td'
        f' class="points">{"? " if entry.score is None else format(entry.score, "g") + " "}of'
        f" {entry.mark.max_points:g}</td><td>{_why(entry)}</td></tr>"
        for entry in entries
    ]
    head = (
        '<thead><tr><th class="cell">cell</th><th'
        ' class="points">points</th><th>why</th></tr></thead>'
    )
    return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def _why(entry: Entry) -> str:
    said = f"<p>{escape(entry.comment)}</p>" if entry.comment else ""
    if entry.given:
        return said + "graded by a person"
    if entry.score is None or entry.score >= entry.mark.max_points:
        return said
    failed = [test for test in entry.mark.tests if test.status != "pass"]
    if not entry.mark.tests:
        return said + _one(entry.mark.outcome)
    return (
        said
        + f"<p>{len(entry.mark.tests) - len(failed)} of {len(entry.mark.tests)} tests pass</p>"
        + _by_reason(failed)
    )


def _by_reason(tests: list[Outcome]) -> str:
    """Each failed test; those that wait for the same stub share a line."""
    stubs = [test for test in tests if test.status == "your_turn"]
    parts = [_one(test) for test in tests if test.status != "your_turn"]
    if stubs:
        reasons = ", ".join(
            dict.fromkeys(escape(test.promise or test.message or "your turn") for test in stubs)
        )
        parts.append(
            f"<dl><dt>{len(stubs)} {'tests meet' if len(stubs) > 1 else 'test meets'} a"
            f" stub</dt><dd>{reasons}</dd></dl>"
        )
    return "".join(parts)


def _one(found: Outcome) -> str:
    title = found.promise or _STATES.get(found.status, "It ended with an error.")
    lines = [(name, getattr(found, key)) for name, key in _NAMES]
    if not found.promise or not any(text for _, text in lines):
        lines.append(("said", found.message))
    return (
        f"<dl><dt>{escape(title)}</dt>"
        + "".join(
            f"<dd><b>{name}</b><code>{escape(str(text))}</code></dd>"
            for name, text in lines
            if text and text != title
        )
        + "</dl>"
    )
