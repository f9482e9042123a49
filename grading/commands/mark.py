"""Grade answers by hand; without arguments, list what waits for a person.

One answer: STUDENT QUESTION POINTS. All answers to one question: --question Q, in a terminal one
after the other, in an order that does not tell who wrote them.
"""

from __future__ import annotations

import argparse
import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from grading.commands._class import add_class_arguments, chosen
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.safe_text import grades_wait, tell
from tito.console import confirm, counted
from tito.errors import UsageError

if TYPE_CHECKING:
    from grading.engine.marks.answers_to_grade import Question
    from grading.engine.marks.rubric import Rubric

FEW = 30  # answers that are listed one below the other when nobody says whose


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add("student", nargs="?", help="an id, or the @handle of an answer")
    add("cell", nargs="?", metavar="QUESTION", help="such as 12a, or a grade_id")
    add("points", nargs="?", type=float)
    add("--comment", metavar="TEXT", help="shown in the student's feedback")
    add("--items", metavar="A,C", help="in place of POINTS: rubric items by their keys")
    add("--question", metavar="Q", help="all answers to this question, shuffled")
    flag("--anonymous", help="show handles in place of ids")
    flag("--all", help="also the answers that have a grade")
    item = ("KEY", "POINTS", "COMMENT")
    add("--add", nargs=3, metavar=item, help="write a rubric item of --question down")
    flag("--replace", help="also replace a grade or a rubric item that somebody has given")
    flag("--apply", help="with --add --replace: change the grades that rest on the item, too")
    add("--empty", type=float, metavar="POINTS", help="grade all empty answers to --question")
    flag(
        "--reviewed",
        help="STUDENT's submission was looked at; it needs a person again when it changes",
    )
    add_class_arguments(parser, assignment="--module")


def run(args: argparse.Namespace) -> int:
    course, assignment = chosen(args)
    at = f"--course {course.root}"
    if args.reviewed:
        if args.student is None or args.cell is not None:
            raise UsageError(
                f"a review is of one student. Try: tito grade mark ann --reviewed {at}"
            )
        return _review(course, assignment, args.student, args.comment)
    if args.question:
        return _question(course, assignment, args)
    if args.add or args.anonymous or args.all:
        raise UsageError(
            "--add, --anonymous and --all belong to one question. Try: tito grade mark --question"
            f" 12a --anonymous {at}"
        )
    if args.points is not None or args.items is not None:
        return _give(course, assignment, args)
    if args.cell is not None and args.comment is not None:
        return _close(course, assignment, args)
    if args.cell is not None or args.comment is not None:
        raise UsageError(
            "a grade is STUDENT QUESTION POINTS; POINTS is missing. Try: tito grade mark"
            f" {args.student or 'STUDENT'} {args.cell or 'QUESTION'} POINTS {at}"
        )
    return _list(course, assignment, args.student)


def _give(course: Course, assignment: Assignment, args: argparse.Namespace) -> int:
    from grading.engine.marks.answers_to_grade import question_of
    from grading.engine.marks.grade_by_hand import Taken, mark
    from grading.engine.marks.rubric import Rubric

    if args.student is None or args.cell is None or (args.points is not None and args.items):
        raise UsageError(
            "a grade is STUDENT QUESTION POINTS, or STUDENT QUESTION --items a,c. Try: tito grade"
            f" mark ann 12a 2 --course {course.root}"
        )
    student, points, comment = _student(course, assignment, args), args.points, args.comment
    if args.items is not None:
        question = question_of(course, assignment, args.cell)
        rubric = Rubric(course, assignment, question.label)
        keys = [key.strip() for key in args.items.split(",") if key.strip()]
        points, said = rubric.applied(keys, question.max_points)
        comment = "\n".join(filter(None, [said, comment]))
    try:
        most = mark(course, assignment, student, args.cell, points, comment, replace=args.replace)
    except Taken as problem:
        waiting = question_of(course, assignment, args.cell).waiting
        following = "No other answer waits"
        if waiting:
            words = f"{waiting[0].handle} {args.cell} POINTS --course {course.root}"
            following = f"Next that waits: tito grade mark {words}"
        raise Taken(f"{problem}. {following}") from None
    tell(f"{args.student} {args.cell}: {points:g} of {most:g}")
    return 0


def _student(course: Course, assignment: Assignment, args: argparse.Namespace) -> str:
    """The student whose id, or whose answer's handle, was given."""
    from grading.engine.marks.answers_to_grade import question_of, student_of

    student = args.student
    if student.startswith("@"):
        student = student_of(question_of(course, assignment, args.cell), student)
    course.need_student(student, assignment)
    return student


def _close(course: Course, assignment: Assignment, args: argparse.Namespace) -> int:
    """Answer a regrade request with a sentence; the points stay."""
    from grading.engine.marks.grade_by_hand import close_regrades

    student, at = _student(course, assignment, args), f"--course {course.root}"
    if not close_regrades(course, assignment, student, args.cell, args.comment):
        raise UsageError(
            "a comment comes with points, or closes a regrade request, and none is open for"
            f" {args.cell}. Try: tito grade mark {student} {args.cell} POINTS --comment TEXT {at}"
        )
    tell(
        f"{args.student} {args.cell}: the request is closed, and the points stay; next: tito grade"
        f" feedback {assignment.name} {at}"
    )
    return 0


def _list_regrades(course: Course, assignment: Assignment, student: str | None) -> int:
    """List the open regrade requests, each beside the answer, and return how many there are."""
    from grading.engine.marks.grade_by_hand import regrades_beside_answers

    at = f"--course {course.root}"
    listed = regrades_beside_answers(course, assignment, student)
    for name, question, text in listed:
        tell(f"== {name} asks for a regrade of {question}\n{text}")
        again = f"tito grade mark {name} {question}"
        tell(f"new points:    {again} POINTS --replace --comment TEXT {at}")
        tell(f"the same ones: {again} --comment TEXT {at}\n")
    if listed:
        tell(f"{counted(len(listed), 'regrade request', 'wait')} for a person")
    return len(listed)


def _review(course: Course, assignment: Assignment, student: str, note: str | None) -> int:
    from grading.engine.marks.reviewed_submissions import Reviews

    course.need_student(student, assignment)
    report = Reviews(course, assignment).add(student, note)
    for reason in [*report.reasons, *(f"flagged: {flag}" for flag in report.flags)]:
        tell(f"looked at: {reason}")
    tell(
        f"{student}: reviewed, {report.points:g} points of the machine stand; it needs a person"
        " again when the submission or its result changes"
    )
    return 0


def _question(course: Course, assignment: Assignment, args: argparse.Namespace) -> int:
    import sys

    from grading.engine.marks.answers_to_grade import Answer, again, question_of, shown
    from grading.engine.marks.grade_by_hand import mark
    from grading.engine.marks.marking_in_a_terminal import Conversation
    from grading.engine.marks.rubric import Rubric

    question = question_of(course, assignment, args.question)
    rubric = Rubric(course, assignment, question.label)
    if args.add:
        return _item(course, assignment, question, rubric, args)

    def give(answer: Answer, points: float, comment: str | None = None) -> None:
        seen = replace(answer.last, answer=answer.text)
        mark(course, assignment, answer.student, question.label, points, comment, seen=seen)

    if args.empty is not None:
        nothing = [one for one in question.waiting if not one.text.strip()]
        for one in nothing:
            give(one, args.empty)
        tell(f"{counted(len(nothing), 'empty answer')}: {args.empty:g} points each")
        return 0
    answers = question.answers if args.all else question.waiting
    tell(
        f"{question.prompt}\n-- mark scheme, {question.max_points:g} points\n{question.mark_scheme}"
    )
    tell("\n".join(rubric.lines()))

    def now(answer: Answer) -> Answer:
        return again(course, assignment, question.label, answer)

    if sys.stdin.isatty() and sys.stdout.isatty():
        talk = Conversation(question, rubric, give, input, tell, args.anonymous, now)
        given = talk.hold(answers)
        left = question_of(course, assignment, args.question).waiting  # others may have graded, too
        tell(f"{counted(given, 'grade')} given, {len(left)} of this question wait")
        return 0
    for answer in answers:
        name = answer.handle if args.anonymous else answer.student
        tell(f"\n== {name}\n{shown(answer)}")
        tell(f"tito grade mark {name} {question.label} POINTS --course {course.root}")
    tell(f"\n{counted(len(answers), 'answer')}; {len(question.waiting)} of them wait")
    return 0


def _item(
    course: Course,
    assignment: Assignment,
    question: Question,
    rubric: Rubric,
    args: argparse.Namespace,
) -> int:
    """Write an item down; if it replaces another one, offer the new points to all who have it."""
    from grading.engine.marks.grade_by_hand import mark

    key, points, comment = args.add
    before = rubric.items.get(key)
    try:
        rubric.add(key, float(points), comment, replace=args.replace)
    except ValueError:
        raise UsageError(f"points are a number; got {points!r}. Try: 1.5") from None
    tell("\n".join(rubric.lines()))
    most = question.max_points
    changed = rubric.again(key, before, question.answers, most) if before else []
    for one in changed:
        name = one.answer.handle if args.anonymous else one.answer.student
        tell(f"{name:<20} {one.answer.points:g} -> {one.points:g} of {most:g}")
    asked = f"Change {counted(len(changed), 'grade')} that rest on the item {key}?"
    if changed and (args.apply or confirm(asked)):
        for one in changed:
            seen = replace(one.answer.last, answer=one.answer.text)
            student, label = one.answer.student, question.label
            mark(course, assignment, student, label, one.points, one.comment, seen=seen)
        tell(f"{counted(len(changed), 'grade')} changed")
    elif changed:
        again = f"tito grade mark --question {question.label} --add {key} {points} {comment!r}"
        tell(f"these grades are as they were; to change them: {again} --replace --apply")
    return 0


def _list(course: Course, assignment: Assignment, student: str | None) -> int:
    from grading.engine.marks.by_hand_record import NOTHING, before_and_now, rewritten
    from grading.engine.marks.grade_by_hand import waiting, waiting_in_cells

    if student is not None:
        course.need_student(student, assignment)
    at = f"--course {course.root}"
    cells = waiting_in_cells(course, assignment)
    asked = _list_regrades(course, assignment, student)
    if student is None and sum(cells.values()) > FEW:
        _list_whole(course, assignment, student)
        for label, count in cells.items():
            tell(
                f"{count:4} in {label}: tito grade mark --question {label} {at}"
                if label
                else f"{count:4} in cells that the machine grades, of the submissions above"
            )
        for line in rewritten(course, assignment):
            tell(line)
        tell(f"{grades_wait(sum(cells.values()))}; those of one student: tito grade mark ID {at}")
        return 0
    entries = [entry for entry in waiting(course, assignment) if student in (None, entry.student)]
    for entry in entries:
        tell(f"== {entry.student}  {entry.grade_id}  0 to {entry.max_points:g} points")
        tell("\n".join(f"needs a person: {reason}" for reason in entry.reasons))
        if entry.before:
            tell(before_and_now(entry.before, entry.answer))
        if entry.mark_scheme or entry.answer:
            tell(
                f"-- question\n{entry.prompt}\n-- answer\n{entry.answer or NOTHING}\n--"
                f" mark scheme\n{entry.mark_scheme}"
            )
        tell(f"tito grade mark {entry.student} {entry.grade_id} POINTS --course {course.root}\n")
    unsettled = _list_whole(course, assignment, student)
    following = f"; next: tito grade feedback {assignment.name} {at}"
    tell(grades_wait(len(entries)) + ("" if entries or unsettled or asked else following))
    return 0


def _list_whole(course: Course, assignment: Assignment, student: str | None) -> int:
    """List the submissions that need a person as a whole, and return how many there are."""
    from grading.engine.marks.reviewed_submissions import Reviews

    reviews = Reviews(course, assignment).still_open()
    unsettled = [one for one in reviews if student in (None, one.student)]
    for report in unsettled:
        why = "; ".join([*report.reasons, *map(str, report.flags)])
        tell(f"== {report.student} needs a person: {why}")
        tell(f"tito grade mark {report.student} --reviewed --course {course.root}\n")
    if unsettled:
        tell(f"{counted(len(unsettled), 'submission', 'need')} a person as a whole\n")
    return len(unsettled)
