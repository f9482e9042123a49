"""Marks all answers to one question in a terminal, one after the other."""

from collections.abc import Callable, Sequence

from grading.engine.marks.answers import Answer, Question, shown
from grading.engine.marks.mark import Taken
from grading.engine.marks.rubric import Rubric
from tito.errors import UsageError

HELP = """  2.5             gives 2.5 points
  2.5 Why so?     gives 2.5 points with a comment
  a c             gives the points and comments of the items a and c
  + d 1 A reason  writes item d down: 1 point, "A reason"
  (nothing)       leaves this answer for later
  q               stops; what was given is kept"""

Give = Callable[[Answer, float, str | None], None]


def converse(
    question: Question,
    rubric: Rubric,
    answers: Sequence[Answer],
    give: Give,
    ask: Callable[[str], str],
    say: Callable[[str], None],
    *,
    anonymous: bool,
    now: Callable[[Answer], Answer] = lambda answer: answer,
) -> int:
    """Show each answer, read again by `now`, and ask what it is worth. Each grade is given at
    once, so that nothing is lost when the conversation ends anywhere. Returns how many were given.
    """
    given = 0
    for number, listed in enumerate(answers, 1):
        answer = now(listed)
        if answer.points is not None and answer != listed:
            continue  # another grader was faster
        name = answer.handle if anonymous else answer.student
        say(f"\n== {number} of {len(answers)}  {name}\n{shown(answer)}\n")
        while True:
            try:
                said = ask(f"0 to {question.max_points:g} points, items, + or ? > ").strip()
            except (EOFError, KeyboardInterrupt):
                said = "q"
            if said in ("", "q"):
                break
            try:
                if _settled(said, question, rubric, answer, give, say):
                    given += 1
                    break
            except Taken as problem:
                say(f"{problem}. Here is the next answer that waits")
                break
            except UsageError as problem:
                say(str(problem))
        if said == "q":
            break
    return given


def _settled(
    said: str,
    question: Question,
    rubric: Rubric,
    answer: Answer,
    give: Give,
    say: Callable[[str], None],
) -> bool:
    """Do what was typed; True if it gave a grade."""
    rubric.refresh()
    if said == "?":
        say("\n".join([HELP, *rubric.lines()]))
        return False
    first, *rest = said.split(maxsplit=1)
    if first == "+":
        words = rest[0].split(maxsplit=2) if rest else []
        if len(words) < 3 or not _is_number(words[1]):
            raise UsageError("an item is + KEY POINTS COMMENT, such as: + a 1 Names the copy.")
        rubric.add(words[0], float(words[1]), words[2])
        say("\n".join(rubric.lines()))
        return False
    if _is_number(first):
        points, comment = float(first), rest[0] if rest else None
    else:
        points, comment = rubric.applied(said.split(), question.max_points)
    give(answer, points, comment)
    say(f"{points:g} of {question.max_points:g}" + (f": {comment}" if comment else ""))
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
