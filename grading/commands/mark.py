"""Grade an answer by hand; without arguments, list what waits for a person."""

from __future__ import annotations

import argparse

from grading.commands._class import add_class_arguments, chosen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("student", nargs="?")
    parser.add_argument("question", nargs="?", help="the grade_id of the question or test cell")
    parser.add_argument("points", nargs="?", type=float)
    parser.add_argument("--comment", metavar="TEXT", help="shown in the student's feedback")
    add_class_arguments(parser, assignment="--module")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(args: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from grading.engine.marks.mark import mark, waiting
    from tito.console import counted
    from tito.errors import UsageError

    course, assignment = chosen(args)
    if args.points is not None:
        most = mark(course, assignment, args.student, args.question, args.points, args.comment)
        print(f"{args.student} {args.question}: {args.points:g} of {most:g}")
        return 0
    if args.question is not None or args.comment is not None:
        raise UsageError(
            "a grade is STUDENT QUESTION POINTS; POINTS is missing. Try: tito grade mark"
            f" {args.student or 'STUDENT'} {args.question or 'QUESTION'}"
            f" POINTS --course {course.root}"
        )
    if args.student is not None:
        course.need_student(args.student, assignment)
    found = [
        entry for entry in waiting(course, assignment) if args.student in (None, entry.student)
    ]
    if args.json:
        print(json.dumps([asdict(entry) for entry in found], indent=1, ensure_ascii=False))
        return 0
    for entry in found:
        print(f"== {entry.student}  {entry.grade_id}  0 to {entry.max_points:g} points")
        print("\n".join(f"needs a person: {reason}" for reason in entry.reasons))
        if entry.mark_scheme or entry.answer:
            print(
                f"-- question\n{entry.prompt}\n-- answer\n{entry.answer or '(nothing written)'}\n--"
                f" mark scheme\n{entry.mark_scheme}"
            )
        print(f"tito grade mark {entry.student} {entry.grade_id} POINTS --course {course.root}\n")
    print(
        f"{counted(len(found), 'grade')} {'waits' if len(found) == 1 else 'wait'} for a person"
        + ("" if found else f"; next: tito grade feedback {assignment.name} --course {course.root}")
    )
    return 0
