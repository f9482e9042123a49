"""Wrong and other right solutions, as far as they can be judged without running them: each can be
put in place of the reference, uses names that are defined, and there are enough of them.
"""

from collections import Counter

from grading.authoring.check.checked_module import Findings, Subject
from grading.authoring.check.name_rules import EVERYWHERE, bound, bound_and_used
from grading.authoring.mutate.mutants import from_variant
from grading.authoring.variants.splice import splice
from grading.engine.course.wrong_and_right_solutions import HEADER, Variant
from tito.errors import WorkError
from tito.notebook.promises import promises

# How many solutions a module wants, unless its module.toml says `wrong = N` or `right = N`.
WRONG_PER_EXERCISE = 2
RIGHT = 3
MOST_WRONG = 8  # of one exercise: each has a screen of its own, and a person reads them


def wanted_solutions(subject: Subject) -> dict[str, tuple[int, str]]:
    """How many wrong and other right solutions a module wants, and the rule that says so."""
    asked = len(subject.asked)
    default = {
        "wrong": (WRONG_PER_EXERCISE * asked, f"{WRONG_PER_EXERCISE} for each exercise"),
        "right": (RIGHT, f"{RIGHT} for each module"),
    }
    meta, said = subject.module.meta, "as module.toml says"
    return default | {kind: (meta[kind], said) for kind in default if kind in meta}


def wrong(s: Subject) -> Findings:
    for path, line, text in s.header_faults:
        yield s.at(path, line), text, f"write {HEADER}, or at its end (promises N, M)"
    for path, count in Counter(variant.path for variant in s.all_wrong).items():
        if count > MOST_WRONG:
            text = f"at most {MOST_WRONG} wrong solutions; there are {count}"
            yield s.at(path), text, "leave some out"
    seen: set[str] = set()
    for variant in s.all_wrong:
        if variant.name in seen:
            text = f"{variant.label} is the name of two wrong solutions"
            yield s.of_file(variant), text, "give each wrong solution a name of its own"
        seen.add(variant.name)
        if variant.breaks(s.asked) is None:
            one = next(one for one in s.asked if one.name == variant.exercise)
            numbers = ", ".join(map(str, variant.numbers))
            text = f"{variant.label}: names promise {numbers}; {one.number} has promises 1 to"
            yield s.of_file(variant), f"{text} {len(promises(one))}", HEADER
        yield from _fits(s, variant)
    for one in s.asked:
        if one.name not in [variant.exercise for variant in s.all_wrong]:
            repair = f"write one: {s.home('wrong') / one.name}.py"
            yield s.answer(one), f"exercise {one.name} has no wrong solution", repair
    yield from _count(s, "wrong", len(s.all_wrong), "EXERCISE.py, more blocks")


def right(s: Subject) -> Findings:
    for variant in s.right:
        yield from _fits(s, variant)
    yield from _count(s, "right", len(s.right), "NAME.py")


def _fits(s: Subject, variant: Variant) -> Findings:
    try:
        if variant.label:
            from_variant(s.cells, variant)
        else:
            splice(s.cells, variant)
    except WorkError as problem:
        line = getattr(problem.__context__, "lineno", 0) or 0
        said = str(problem).removeprefix(f"{variant.place}: ").removeprefix(f"{variant.place} ")
        yield s.of_file(variant, line), said, "repair it"
        return
    own, used = bound_and_used(variant.text)
    for name in sorted(used - own - bound(s.cells) - EVERYWHERE):
        lines = variant.text.split("\n")
        line = next((n for n, text in enumerate(lines, start=1) if name in text), 0)
        text = f"{variant.label or variant.path.name}: uses {name}, which nothing defines"
        yield s.of_file(variant, line), text, f"define {name}, or correct it"


def _count(s: Subject, kind: str, there: int, file: str) -> Findings:
    wanted, rule = wanted_solutions(s)[kind]
    if there < wanted:
        text = f"{kind} solutions: wanted {wanted}, {rule}; there {'is' if there == 1 else 'are'}"
        repair = f"write {wanted - there} more: {s.home(kind) / file}; or in module.toml:"
        yield s.key(kind), f"{text} {there}", f"{repair} {kind} = {there}"
