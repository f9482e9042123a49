"""Point 6 of `tito dev check`, its part on exercises: one exercise is one thing with one number and
one graded cell, whose points are earned by sealed tests alone.
"""

import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from string import ascii_lowercase

from grading.authoring.check.checked_module import Findings, Subject
from tito.notebook import hours
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise, answers, checked, exercises
from tito.notebook.promises import promises
from tito.workspace import HINT_LAYERS

UNDER = "<!-- points -->, about 15 minutes"  # the line below an exercise's heading
MAX_WORDS = 200  # from the heading of an exercise to its stub
_SECTION = re.compile(r"^## (\d+) \S", re.MULTILINE)
_UNDER = re.compile(r"^#{2,4} \d+[a-z] .+\n<!-- points -->, about \d+ minutes$", re.MULTILINE)
_SCHEME = re.compile(r"### BEGIN MARK SCHEME.*?### END MARK SCHEME", re.DOTALL)


def _before_stub(exercise: Exercise) -> list[Cell]:
    """The cells above the first stub; of a question, all."""
    return [*itertools.takewhile(lambda cell: not cell.is_solution, exercise.cells)]


def words_before_stub(exercise: Exercise) -> int:
    """Words of the exercise's text above its first stub (of a question: of its cell)."""
    texts = (cell.source for cell in _before_stub(exercise) if cell.kind == "markdown")
    return sum(len(_SCHEME.sub("", text).split()) for text in texts)


def given_before_stub(exercise: Exercise) -> int:
    """Lines of given code between the exercise's text and its first stub."""
    above = _before_stub(exercise) if exercise.stubs else []
    return sum(len(cell.source.splitlines()) for cell in above if cell.kind == "code")


def law_or_test(cell: Cell | None) -> tuple[str, str]:
    """What earns the points of a graded cell, and what an author writes to add one: a law where the
    cell is `check("3a")`, else a contract test.
    """
    number = checked(cell.source) if cell else None
    if number:
        return "law", f'in the file test_{number}_NAME.py write @law(N, "words of promise N")'
    name = cell.name if cell else "GRADED_CELL"
    mark = f'@pytest.mark.contract("{name}")'
    return "contract test", f"write {mark} above a test that expects the promise's sentence"


def check_exercises(cells: Sequence[Cell]) -> Findings:
    """Every fault of the exercises, with the cell that it is in."""
    listed = exercises(cells)
    yield from _numbers(cells, listed)
    for exercise in listed:
        yield from _form(exercise)


def _numbers(cells: Sequence[Cell], listed: list[Exercise]) -> Findings:
    """Each stub, test and question belongs to an exercise with a number. Sections count from 1, and
    in each section letters count from a.
    """
    by_cell = {exercise.cells[0].index: exercise for exercise in listed}
    held = {cell.index for exercise in listed for cell in exercise.cells}
    section, letters = 0, 0
    odd = False  # whether the section has another number than the next one
    lost = False  # whether an exercise without a number is open
    above: Cell | Exercise | None = None  # the nearest heading: of a text cell, or an exercise's
    for cell in cells:
        if cell.index not in held and hours.headings(cell):
            above = cell
        for number in _SECTION.findall(cell.source) if cell.kind == "markdown" else ():
            odd = int(number) != section + 1
            if odd:
                text = f"{cell.label}: section {number} follows section {section}"
                yield cell, text, f"write: ## {section + 1} title"
            section, letters = int(number), 0
        wanted = f"{section or 1}{ascii_lowercase[letters % 26]}"
        if exercise := by_cell.get(cell.index):
            letters, above = letters + 1, exercise
            if not section and letters == 1:
                text = f"exercise {exercise.label} is in no section"
                yield cell, text, "write above it: ## 1 title"
            elif section and not odd and exercise.number != wanted:
                text = f"{cell.label}: exercise {exercise.number} is where {wanted} belongs"
                yield cell, text, f"write: ### {wanted} {exercise.title}"
        graded = cell.is_test or cell.nbgrader.get("task")
        if not (graded or cell.is_solution) or cell.index in held:
            continue
        if isinstance(above, Exercise) and graded and not lost and above.graded:
            first = above.graded
            text = f"exercise {above.label}: it has one graded cell, its last; {first.name}"
            repair = (
                f"write # %% given {first.name} as the line of {first.label}, or join the two cells"
            )
            yield cell, f"{text} and {cell.name} both have points", repair
            continue
        if not lost:
            letters += 1
            title = hours.headings(above)[-1].text if isinstance(above, Cell) else cell.name
            text = f"{cell.label}: belongs to no exercise, because no heading with a number"
            repair = f"write as its heading: ### {wanted} {title}; and the line below it: {UNDER}"
            yield cell, f"{text} is above it", repair
        lost = not graded


def _kind(cell: Cell) -> str:
    """A letter for text, stub, test (checks) and given code."""
    if cell.kind == "markdown" or cell.is_solution:
        return "t" if cell.kind == "markdown" else "s"
    return "c" if cell.runs_tests else "g"


def _form(exercise: Exercise) -> Findings:
    """The heading's line, the order of the cells, the length of the text."""
    first, label = exercise.cells[0], f"exercise {exercise.label}"
    if not _UNDER.search(first.source):
        stated = UNDER.replace("15", str(exercise.minutes or 15))
        text = f"{label}: the first line below the heading states points and minutes, and the"
        repair = f"write below ### {exercise.label}: {stated}"
        yield first, f"{text} points follow from the graded cell", repair
    if exercise.graded is None:
        tests = [cell for cell in exercise.cells if "check(" in cell.source]
        last = (tests or exercise.cells)[-1]
        repair = f"write # %% law, 2 points as the line of {last.label}, or of a new cell below it"
        yield last, f"{label}: an exercise ends with one graded cell", repair
    if exercise.is_question:
        return
    numbers = [int(one.id.partition(".")[2]) for one in promises(exercise)]
    if numbers != [*range(1, len(numbers) + 1)]:
        text = f"{label}: promises count from 1; these are {', '.join(map(str, numbers))}"
        yield first, text, "number them again, and the laws with them"
    elif not numbers and exercise.graded and checked(exercise.graded.source):
        text = f"{label}: its laws guard promises, and it has none below **Contract.**"
        yield first, text, "write **Contract.** and below it the promises, numbered from 1"
    kinds = "".join(_kind(cell) for cell in exercise.cells)
    if not re.fullmatch(r"t+s+c+", kinds):
        text = f"{label}: an exercise is text, then stub, then tests, with nothing between"
        given = re.search(r"g|c(?=.*s)|(?<=s)t", kinds)
        between = exercise.cells[given.start() if given else -1]
        yield (
            between,
            text,
            "move given code above the heading, and other text behind the graded cell",
        )
    words = words_before_stub(exercise)
    if words > MAX_WORDS:
        text = f"{label}: at most {MAX_WORDS} words come before the stub, not {words}"
        yield first, text, "move the story above the heading, and cut the rest"


def check_questions(s: Subject) -> Findings:
    handed_out = {one.question for one in answers(s.cells) if one.empty}
    for cell in (cell for cell in s.cells if cell.nbgrader.get("task")):
        if "### BEGIN MARK SCHEME" not in cell.source:
            repair = "add ### BEGIN MARK SCHEME ... ### END MARK SCHEME"
            yield cell, f"{cell.label}: a question has a mark scheme", repair
        if cell.name not in handed_out:
            text = f"{cell.label}: a question is locked, so the cell for the answer follows it"
            yield cell, text, "add below it: # %% [markdown] and *Your answer here.*"


def check_hints(s: Subject) -> Findings:
    toml = s.module.folder / "module.toml"
    for one in s.asked:
        layers = s.module.hints.get(one.name)
        listed = layers if isinstance(layers, list) else []
        written = [text for text in listed if isinstance(text, str) and text.strip()]
        if not len(written) == len(listed) == len(HINT_LAYERS):
            text = f"exercise {one.name}: hints come in {len(HINT_LAYERS)} layers; {toml.name} has"
            repair = f"[hints] {one.name} = {json.dumps(HINT_LAYERS)}"
            yield s.key(one.name if layers else "[hints]"), f"{text} {len(listed)}", repair


def exercise_table(
    cells: Sequence[Cell], laws: Counter[str], contract_tests: Counter[str]
) -> list[tuple[str, ...]]:
    """One row for each exercise; the names of the columns are in EXERCISE_COLUMNS.

    Args:
        laws, contract_tests: grade_id -> how many earn its points.
    """
    return [
        (
            one.number,
            one.name,
            str(words_before_stub(one)),
            str(given_before_stub(one)),
            str(one.minutes or "-"),
            f"{one.points:g}",
            one.graded.name if one.graded else "-",
            *(
                str(tests[one.graded.name]) if one.graded and not one.is_question else "-"
                for tests in (laws, contract_tests)
            ),
        )
        for one in exercises(cells)
    ]


EXERCISE_COLUMNS = (
    *("exercise", "name", "words", "given lines", "minutes", "points", "graded cell", "laws"),
    "contract tests",
)
