"""Write the class report: marks, the failures of each test, and late or unclear submissions.

It consists of one HTML page for screen and A4 paper, a CSV file with a line per student and one
with a line per test.
"""

import argparse
from pathlib import Path

from grading.commands._class import add_class_arguments, chosen
from grading.engine.safe_text import grades_wait, tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    parser.add_argument(
        "--to",
        metavar="DIR",
        type=Path,
        help="an existing folder for the files (default: the course's reports/NN_name)",
    )
    parser.add_argument(
        "--student", metavar="S", help="print what is kept about one submission, to answer it"
    )


def run(args: argparse.Namespace) -> int:
    from grading.engine.marks import class_report, class_report_csv
    from grading.engine.marks.changed_marks import changes_csv
    from grading.engine.marks.sent_marks import pages_are_made
    from tito.errors import UsageError
    from tito.files import write_text

    if args.to is not None and not args.to.is_dir():
        raise UsageError(
            f"--to takes an existing folder; {args.to} is not one. Make it: mkdir -p {args.to}"
        )
    course, assignment = chosen(args)
    if args.student:
        from grading.engine.marks.submission_history import one_student

        tell("\n".join(one_student(course, assignment, args.student)))
        return 0
    facts = class_report.class_report(course, assignment)
    from grading.engine.pages.report_page import report_page
    from grading.engine.pages.report_plots import marks_finding, tests_finding

    folder = args.to or course.reports(assignment)
    files = {
        "report.html": report_page(facts),
        "marks.csv": class_report_csv.marks_csv(facts),
        "tests.csv": class_report_csv.tests_csv(facts),
    }
    if facts.changes:
        files["changes.csv"] = changes_csv(facts.changes)
    for name, text in files.items():
        write_text(folder / name, text)
        tell(f"wrote {folder / name}")
    tell(f"{assignment.name}: {marks_finding(facts)}\n{tests_finding(facts)}")
    tell(facts.rests_on)
    for cell, text in facts.remarks.items():
        tell(f"{cell}: {text}")
    for test in facts.doubtful[:5]:
        tell(f"look at the test \u201c{test.title}\u201d of {test.cell}: {test.doubt}")
    for one in facts.misconceptions[:3]:
        others = f" (or another of {len(one.believed)})" if one.believed[1:] else ""
        tell(f"{len(one.students)} seem to believe{others}: {one.believed[0]}")
    for line in facts.out_of_date:
        tell(line)
    following = f"feedback {assignment.name}"
    if facts.waiting or facts.review or facts.flagged:
        following = "mark"
    elif pages_are_made(course, assignment):
        following = f"export {assignment.name}"
    tell(
        f"{len(facts.review)} graded in part, {len({one.student for one in facts.flagged})}"
        f" flagged, {len(facts.late)} late, {len(facts.missing)} missing;"
        f" {grades_wait(facts.waiting)}; next: tito grade {following} --course {course.root}"
    )
    return 0
