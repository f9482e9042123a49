"""Point 3, the other way round: no law or contract test passes on a package of which a part gives
nothing or refuses.
"""

from collections.abc import Iterator

from grading.authoring.check.checked_module import Subject
from grading.authoring.variants.proof import Answer, Fault, function_of
from tito.outcome import Outcome


def blind(subject: Subject, noting: Answer, turning: Answer) -> Iterator[Fault]:
    """No law or contract test passes with a part of the package that gives nothing or refuses."""
    files = {test.name: test for test in subject.tests}
    for problem in filter(None, (noting.problem, turning.problem)):
        text = f"tests on a part that was turned: {problem}"
        yield Fault(3, subject.at(subject.path), text, "repair the tests")
    blind_to: dict[str, list[str]] = {}
    looked = {_of_law(one) for one in turning.outcomes if one.promise and not one.passed}
    for one in turning.outcomes:
        if one.passed and function_of(one) in files and _of_law(one) not in looked - {None}:
            turn = (one.test or "").partition("[")[2].rstrip("]")
            blind_to.setdefault(function_of(one), []).append(turn)
    for name, turns in blind_to.items():
        repair = (
            "let it look at one value as well: a law yields a case that returns it, a contract test"
            ' says expect(got.shape == (5, 3) and got.any(), "...")'
        )
        place = subject.at(files[name].path, files[name].line)
        yield Fault(3, place, f"{name} passes although {', '.join(turns)}", repair)


def _of_law(one: Outcome) -> tuple[str | None, str, str] | None:
    """The promise of a law, with the part that was turned: another law of the same promise may have
    looked at this part. None for a test that is no law, and so names more sentences or none.
    """
    said = {*one.kept, *([one.promise] if one.promise else [])}
    if len(one.asks) != 1 or said != set(one.asks):
        return None
    return one.grade_id, (one.test or "").partition("[")[2], one.asks[0]
