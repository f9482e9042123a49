"""`tito grade collect`: whose each file is, which of several counts, and that nothing is lost."""

from __future__ import annotations

import re

import pytest

from helpers.inboxes import LATER, notebook, put, tito_zip


def status(lines) -> dict[str, str]:
    return {line.student: line.status for line in lines}


def kept(room) -> list[str]:
    """The notebooks that were replaced."""
    return [path.read_text("utf-8") for path in (room.course.root / "replaced").rglob("*.ipynb")]


def test_a_later_submission_keeps_the_earlier_one_aside(room, inbox):
    for number, said in ((1, "taken"), (1, "unchanged"), (2, "replaced")):
        put(inbox / "ann.ipynb", notebook(number))
        assert room.only(inbox).status == said
    assert room.number("ann") == 2 and kept(room) == [notebook(1)]


def test_the_zip_of_tito_submit_says_who_when_and_what(room, inbox):
    facts = {"schema": 1, "notebook": "tiny_dev.ipynb", "sha256": "0" * 64}
    data = tito_zip(time="2026-11-20T11:30:00+0130", **facts)
    line = room.only(put(inbox / "07_tiny-ann.zip", data))
    said = "the notebook was changed after `tito submit` packed it"
    assert (line.student, line.status, line.reason) == ("ann", "taken", said)
    stamp = room.notebook("ann").with_name("timestamp.txt")
    assert stamp.read_text(encoding="utf-8") == "2026-11-20 10:00:00.000000 UTC\n"


@pytest.mark.parametrize("name", ["-rf", "<script>", "\u202eann", "x" * 200])
def test_a_name_that_is_no_id_is_refused_whatever_the_manifest_says(room, inbox, name):
    for file, student in ((f"{name}.zip", None), ("07_tiny.zip", "../../x")):
        line = room.only(put(inbox / file, tito_zip(1, student=student)))
        assert line.status == "refused" and "student" in line.reason, line
    assert room.course.students(room.module) == []


# Claims in a manifest


@pytest.mark.parametrize("claim", ["alice", "ALICE"])
@pytest.mark.parametrize("separately", [False, True])
def test_a_claim_keeps_nobodys_file_out_and_takes_nobodys_place(room, inbox, claim, separately):
    # a later time does not help a claim either
    claimed = put(inbox / "07_tiny.zip", tito_zip(2, student=claim, time=LATER))
    own = put(inbox / "alice.zip", tito_zip(1))
    if separately:
        assert room.only(claimed).status == "taken"
        assert room.only(own).status in ("taken", "replaced")
    else:
        lines = {line.source: line for line in room.collect(claimed, own)}
        assert lines[str(own)].status == "taken"
        assert "surely theirs" in lines[str(claimed)].reason
    if claim == "alice":  # nor in a later collection
        line = room.only(claimed)
        assert line.status == "refused" and "handed in before" in line.reason
    assert room.course.students(room.module) == ["alice"] and room.number("alice") == 1
    stamp = room.notebook("alice").with_name("timestamp.txt")
    assert stamp.read_text(encoding="utf-8").startswith("2026-11-20")
    assert len(kept(room)) == separately  # what the claim had put there is moved, not deleted


# Which of several counts


def test_ids_that_differ_in_case_alone_are_not_mixed(room, inbox):
    assert room.only(put(inbox / "ann.zip", tito_zip())).status == "taken"
    line = room.only(put(inbox / "Ann.zip", tito_zip(1)))
    assert line.status == "refused" and "differ in case" in line.reason
    for name in ("bob", "Bob"):
        put(inbox / "two" / f"{name}.zip", tito_zip())
    assert status(room.collect(inbox / "two")) == {"bob": "refused", "Bob": "refused"}
    assert room.course.students(room.module) == ["ann"]


def test_of_two_files_the_later_counts_and_a_copy_is_called_a_copy(room, inbox):
    for folder, number, hour in (("a", 1, "09"), ("b", 2, 11), ("c", 2, 11)):
        data = tito_zip(number, time=f"2026-11-20T{hour}:00:00+00:00")
        put(inbox / "ann" / folder / "07_tiny.zip", data)
    found = sorted(line.status for line in room.collect(inbox))
    assert found == ["duplicate", "older", "taken"] and room.number("ann") == 2


# Rosters, and what the screen says


@pytest.mark.parametrize(
    "text, reason",
    [
        ("name,email\nAnn,a@x\n", "has a column id"),
        ("id\n../ann\n", "line 2"),
        ("id\nann\nANN\n", "again"),
        ('id,name\nann,"Lee\n', "CSV file in UTF-8"),
    ],
)
def test_a_roster_that_cannot_be_meant_is_wrong_usage(room, inbox, text, reason):
    code, said = room.here("collect", inbox, "--roster", put(inbox / "roster.csv", text))
    assert code == 2 and reason in said


def test_with_a_roster_a_misspelled_name_is_refused_with_the_nearest_and_nothing_is_lost(
    room, inbox
):
    text = '\ufeffName,ID,email\n"Lee, Anna",anna.lee,al@x.org\nBob Ray,bob,\n'
    roster = put(inbox / "r.csv", text)
    nearest = {
        "ana.lee": "nearest: anna.lee. Rename the file",
        "Bob": "bob.ipynb is surely theirs",
        "quite-different": "nobody is near",
        "al@x.org": "",
        "bob": "",
    }
    files = [put(inbox / f"{name}.ipynb", notebook(i)) for i, name in enumerate(nearest)]
    lines = room.collect(*files, roster=roster)
    said = {line.source: line.reason for line in lines}
    for name, path in zip(nearest, files, strict=True):
        assert nearest[name] in said[str(path)] and path.is_file()
    assert room.course.students(room.module) == ["anna.lee", "bob"]
    assert room.number("bob") == 4
    with room.course.book() as book:
        people = {(one.first_name, one.last_name, one.email) for one in book.students}
    assert people == {("Anna", "Lee", "al@x.org"), ("Bob", "Ray", None)}
    # the roster is kept in the course
    assert "nearest: anna.lee" in room.here("collect", files[0])[1]


def test_a_file_of_another_kind_is_listed_if_it_is_all_that_a_student_handed_in(room, inbox):
    with room.course.book() as book:
        for student in ("ann", "bob"):
            book.add_student(student)
    for name in ("ann.pdf", "bob.pdf", "bob.ipynb"):
        put(inbox / name, notebook())
    put(inbox / "README.txt", "nobody's")
    lines = room.collect(inbox)
    found = [(line.student, line.status) for line in lines]
    # who is refused is not missing
    assert found == [(None, "left"), ("ann", "refused"), ("bob", "taken")]
    pdf = "a submission is a .zip or .ipynb; this is .pdf. Ask for the notebook"
    assert lines[1].reason == pdf and "its name is no student's" in lines[0].reason


# What an advice says to do works

CLAIM = tito_zip(2, student="ann")
AFTER = {"ann.ipynb": notebook(1)}
REFUSED = {
    "nobody's": ({}, "tiny_dev.ipynb", notebook(2)),
    "no id": ({}, "ann?.zip", tito_zip(2)),
    "a claim": (AFTER, "07_tiny.zip", CLAIM),
    "less sure": ({"ann/x.ipynb": notebook(1)}, "ann.ipynb", notebook(2)),
    "a claim on a sure one": ({"ann/x.ipynb": notebook(1)}, "07_tiny.zip", CLAIM),
}


@pytest.mark.parametrize("name", REFUSED)
def test_who_does_what_a_refusal_advises_gets_the_file_in(room, inbox, name):
    before, file, data = REFUSED[name]
    for path, text in before.items():
        put(inbox / "first" / path, text)
    if before:
        room.only(inbox / "first")
    path = put(inbox / "second" / file, data)
    reason = room.only(path).reason
    names = re.findall(r"(?:ID|ann)\.(?:zip|ipynb)", reason.partition("ename")[2])
    ways = [path.with_name(f"ann{path.suffix}") for one in names if one.endswith(path.suffix)]
    ways += [path.parent / "ann" / path.name] if "into a folder" in reason else []
    assert ways, reason
    for number, way in enumerate(ways):
        alone = room.copy(inbox / f"course {number}")
        copied = put(inbox / f"as {number}" / way.relative_to(path.parent), data)
        collected = copied.parents[1] if "folder" in reason and way.parent.name == "ann" else copied
        assert alone.only(collected).status in ("taken", "replaced"), (reason, way)
        assert alone.number("ann") == 2


# Whose a file is, if its name does not say so

ROSTER = """id,name,email,canvas_id
leo.b,"Braun, Leo",leo@x.org,101
ann,Ann Lee,ann@x.org,102
kim1,Kim Lee,kim1@x.org,103
kim2,"Lee, Kim",kim2@x.org,104
"""


@pytest.mark.parametrize(
    "file, student",
    [
        ("braun_leo.ipynb", "leo.b"),
        ("Kim Lee.ipynb", None),  # two people are called so
        ("modules_07_tiny_tiny_dev.ipynb", None),
        ("ann/modules_07_tiny_tiny_dev (1).ipynb", "ann"),
        ("ANN.IPYNB", "ann"),
        ("ann.ipynb.txt", "ann"),
        ("ann", "ann"),  # without an ending
        ("Leo Braun/homework.ipynb", "leo.b"),
        ("leeann_LATE_102_7_tiny_dev-1.ipynb", "ann"),  # one file of a download of Canvas
        ("Ann Lee_123_assignsubmission_file_/tiny_dev.ipynb", "ann"),  # and of Moodle
    ],
)
def test_a_persons_name_and_the_name_of_a_download_are_understood(room, inbox, file, student):
    roster = put(inbox / "roster.csv", ROSTER)
    put(inbox / "in" / file, notebook())
    put(inbox / "in" / "kim1.ipynb", notebook())  # so that the folder is no download
    lines = room.collect(inbox / "in", roster=roster)
    lines = [one for one in lines if one.status != "missing" and one.student != "kim1"]
    assert [(one.student, one.status) for one in lines] == (
        [(student, "taken")] if student else [(lines[0].student, "refused")]
    )


def test_a_modification_time_never_beats_a_time_of_handing_in(room, inbox):
    put(inbox / "07_tiny-ann.zip", tito_zip(1, student="ann"))
    put(inbox / "ann.ipynb", notebook(2), at=4e9)
    lines = room.collect(inbox)
    assert sorted(line.status for line in lines) == ["older", "taken"] and room.number("ann") == 1
    assert any("has a time of handing in, this has none" in line.reason for line in lines)
    assert room.only(inbox / "ann.ipynb", file_times=True).status == "replaced"
