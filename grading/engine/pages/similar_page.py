"""A page with pairs of similar submissions side by side."""

import difflib

from grading.engine.code_fingerprints import Group, Pair, Written, tokens
from grading.engine.course.assignment import Assignment
from grading.engine.pages.render import rendered

SHOWN_PAIRS = 50
SHOWN_CELLS = 3  # for each pair, the most similar first
SHOWN_LINES = 200  # for each cell

# each line, and whether the other side has the same line except for names
Side = list[tuple[str, bool]]


def similar_page(
    assignment: Assignment, groups: list[Group], pairs: list[Pair], works: dict[str, Written]
) -> str:
    """HTML of the groups (with one member's work) and of the pairs; lines that are equal except
    for names are highlighted and underlined.
    """
    return rendered(
        "similar.html.j2",
        title=f"{assignment.name}: similar submissions",
        assignment=assignment,
        number=len(pairs),
        groups=[(group, _shared(group, works[group.students[0]])) for group in groups],
        submissions=len(works),
        pairs=[(pair, _cells(pair, works)) for pair in pairs[:SHOWN_PAIRS]],
    )


def _shared(group: Group, work: Written) -> list[tuple[str, str]]:
    """The name and the text of each cell that the group shares, cut to what is shown."""
    texts = {**work.code, **work.answers}
    return [
        (name, "\n".join(texts[name].splitlines()[:SHOWN_LINES]))
        for name in group.cells[:SHOWN_CELLS]
    ]


def _cells(pair: Pair, works: dict[str, Written]) -> list[tuple[str, tuple[Side, Side]]]:
    """The name and both sides of each cell of the pair that is shown."""
    first, second = works[pair.first], works[pair.second]
    code = [
        (name, _sides(first.code[name], second.code[name])) for name in pair.cells[:SHOWN_CELLS]
    ]
    answers = [(name, _sides(first.answers[name], second.answers[name])) for name in pair.answers]
    return code + answers


def _sides(first: str, second: str) -> tuple[Side, Side]:
    left, right = first.splitlines()[:SHOWN_LINES], second.splitlines()[:SHOWN_LINES]
    matcher = difflib.SequenceMatcher(None, _keys(left), _keys(right), autojunk=False)
    alike_left: set[int] = set()
    alike_right: set[int] = set()
    for block in matcher.get_matching_blocks():
        alike_left.update(range(block.a, block.a + block.size))
        alike_right.update(range(block.b, block.b + block.size))
    return _marked(left, alike_left), _marked(right, alike_right)


def _keys(lines: list[str]) -> list[str]:
    """What of each line is compared: its tokens, with the same mark for every name."""
    return [" ".join(tokens(line.strip() + "\n")) or line.strip() for line in lines]


def _marked(lines: list[str], alike: set[int]) -> Side:
    return [(line, i in alike and bool(line.strip())) for i, line in enumerate(lines)]
