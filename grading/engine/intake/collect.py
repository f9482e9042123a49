"""Collect submissions: zips made by `tito submit`, notebooks, a folder per student, or a platform's
bulk download.

Each file goes one way: `arrived_files` lists it, `platform_downloads` says what it is and opens it,
`owners` says whose it is, `which_file_counts` chooses among the files of one student, and `store`
puts that one into the course. Only regular files within a size limit are taken in; every other file
gets a line that says why, and stays where it was.

The content of one file can neither stop a collect nor affect other students' files.
"""

from collections.abc import Iterable
from pathlib import Path

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course, HandedIn
from grading.engine.course.roster import course_roster, left_the_class
from grading.engine.intake import hand_in_times as times
from grading.engine.intake.arrived_files import Place
from grading.engine.intake.owners import candidates
from grading.engine.intake.platform_downloads import Expected, arrivals, is_download
from grading.engine.intake.store import Store
from grading.engine.intake.which_file_counts import Asked, Candidate, Intake, choose
from grading.engine.sandbox import temporary_folders
from tito.console import counted


def collect(
    course: Course,
    module: HandedIn,
    places: Iterable[Path],
    *,
    roster: Path | None = None,
    platform: str | None = None,
    file_times: bool = False,
) -> list[Intake]:
    """Put every acceptable notebook in DIR/submitted/<student>/<assignment>/; list all files,
    including the refused ones, and students without a submission.

    Args:
        roster: a CSV file that maps the platform's numbers and names to ids; a copy is kept in the
            course.
        platform: "canvas", "moodle" or "gradescope" if the places are bulk downloads, "files" if
            none is; None: decide by the names in the places, if all or the only one are downloads.
        file_times: a file's modification time counts as the time of handing in, if no better one is
            known.
    """
    people = course_roster(course, roster)
    due, everybody = course.due(module), course.everybody()
    handed_in = (path.name for path in (course.root / "submitted").glob("*"))
    class_ids = {*people.people, *everybody, *handed_in}
    folded = {name.casefold(): name for name in sorted(class_ids)}
    expected = Expected(Assignment.of(module), people, due, folded)
    places = list(places)
    # one list of members at a time: that of a hostile zip is large
    listed = (Place.listed(place, platform) for place in places)
    alone = len(places) == 1 or all(is_download(place, expected) for place in listed)
    refused: list[Intake] = []
    works: dict[tuple[str, str], list[Candidate]] = {}
    asked: list[Asked] = []
    with temporary_folders.folder("collect") as scratch:
        for path in places:
            files = arrivals(Place.listed(path, platform), expected, platform, alone=alone)
            for one in candidates(files, expected, scratch):
                if isinstance(one, Intake):
                    refused.append(one)
                elif isinstance(one, Asked):
                    asked.append(one)
                else:
                    works.setdefault((one.student.casefold(), one.stem), []).append(one)
        untimed = (times.MARKED_LATE,) if file_times else times.UNTIMED
        with Store.open(course, module, due, untimed) as store:
            store.lines += refused
            try:
                for one in asked:
                    store.ask(one.source, one.student, one.requests)
                for group in works.values():
                    best, others = choose(group, class_ids, untimed)
                    store.lines += others
                    if best:
                        store.put(best)
            except KeyboardInterrupt:
                taken = sum(line.status in ("taken", "replaced") for line in store.lines)
                raise KeyboardInterrupt(
                    f"{counted(taken, 'submission')} of {module.name} went into {course.root}; your"
                    " files are as they were. To take in the rest, run the same command again"
                ) from None
    refused_ones = {one.student for one in store.lines if one.status in ("refused", "request")}
    out = {*course.students(module)} | refused_ones | left_the_class(course)
    missing = sorted({*everybody} - out)
    lines = [Intake("", student, "missing", "nothing was handed in") for student in missing]
    return sorted(store.lines + lines, key=lambda line: (line.student or "", line.source))
