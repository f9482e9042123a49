"""Marks all answers to one question in a terminal, one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grading.engine.marks.answers_to_grade import Answer, Question, alike, shown
from grading.engine.marks.grade_by_hand import Taken
from grading.engine.marks.rubric import Rubric
from tito.errors import UsageError

HELP = """  2.5             gives 2.5 points
  2.5 Why so?     gives 2.5 points with a comment
  a c             gives the points and comments of the items a and c
  + d 1 A reason  writes item d down: 1 point, "A reason"
  (nothing)       leaves this answer for later
  q               stops; what was given is kept"""


@dataclass(frozen=True)
class Conversation:
    """How the answers to a question are marked.

    Attributes:
        give: gives points to an answer, at once, so that nothing is lost when the conversation
            ends anywhere.
        ask: reads a line; say: shows one.
        anonymous: names are not shown.
        now: reads an answer again.
    """

    question: Question
    rubric: Rubric
    give: Callable[[Answer, float, str | None], None]
    ask: Callable[[str], str]
    say: Callable[[str], None]
    anonymous: bool
    now: Callable[[Answer], Answer] = lambda answer: answer

    def hold(self, answers: Sequence[Answer]) -> int:
        """Show each answer and ask what it is worth; equal answers are shown once. Returns how many
        grades were given.
        """
        given: list[Answer] = []
        number = 1
        for listed in alike(answers):
            pairs = [(one, self.now(one)) for one in listed]
            # another grader may have been faster, or a text may be another one now
            group = [now for one, now in pairs if now.points is None or now == one]
            group = alike(group)[0] if group else []
            first, number = number, number + len(listed)
            if not group:
                continue
            names = ", ".join(one.handle if self.anonymous else one.student for one in group)
            last = f" to {first + len(group) - 1}" if len(group) > 1 else ""
            equal = f" ({len(group)} equal answers)" if len(group) > 1 else ""
            said = f"{first}{last} of {len(answers)}  {names}{equal}\n{shown(group[0])}"
            self.say(f"\n== {said}\n")
            while True:
                try:
                    prompt = f"0 to {self.question.max_points:g} points, items, + or ? > "
                    said = self.ask(prompt).strip()
                except (EOFError, KeyboardInterrupt):
                    said = "q"
                if said in ("", "q"):
                    break
                try:
                    if self._settled(said, group, given):
                        break
                except UsageError as problem:
                    self.say(str(problem))
            if said == "q":
                break
        return len(given)

    def _settled(self, said: str, group: Sequence[Answer], given: list[Answer]) -> bool:
        """Do what was typed; True if it was a grade. Who got it is added to `given`."""
        rubric, most = self.rubric, self.question.max_points
        rubric.refresh()
        if said == "?":
            self.say("\n".join([HELP, *rubric.lines()]))
            return False
        first, *rest = said.split(maxsplit=1)
        if first == "+":
            words = rest[0].split(maxsplit=2) if rest else []
            if len(words) < 3 or not _is_number(words[1]):
                raise UsageError("an item is + KEY POINTS COMMENT, such as: + a 1 Names the copy.")
            rubric.add(words[0], float(words[1]), words[2])
            self.say("\n".join(rubric.lines()))
            return False
        if _is_number(first):
            points, comment = float(first), rest[0] if rest else None
        else:
            points, comment = rubric.applied(said.split(), most)
        for one in group:
            try:
                self.give(one, points, comment)
            except Taken as problem:
                self.say(f"{problem}. Here is the next answer that waits")
            else:
                given.append(one)
        if any(one in given for one in group):
            self.say(f"{points:g} of {most:g}" + (f": {comment}" if comment else ""))
        return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
