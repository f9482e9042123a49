"""`tito grade collect`: regular files of a sensible size are taken in; every other file gets a line
that says why.
"""

from __future__ import annotations

import json
import os
import zipfile

import pytest
from paper import blank, set_due

from grading.engine.intake import collect


@pytest.fixture
def room(workspace, tmp_path):
    """The class with an empty course of its own."""
    return blank(workspace, tmp_path)


def zip_with(path, members: dict[str, str | bytes]):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def only(room, *places):
    (line,) = collect.collect(room.course, room.module, places)
    return line


NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_late_missing_and_broken_are_listed_and_nothing_is_lost(class_of_tiny):
    intake = class_of_tiny.intake
    assert intake["stub"].late_seconds == 3 * 3600 and intake["finished"].late_seconds == 0
    assert (intake["absent"].status, intake["absent"].reason) == (
        "missing",
        "nothing was handed in",
    )
    assert intake["broken"].status == "taken" and intake["broken"].reason.startswith("broken: ")
    assert (
        class_of_tiny.course.submitted("finished", class_of_tiny.module)
        .joinpath("timestamp.txt")
        .read_text(encoding="utf-8")
        == "2026-11-20 10:00:00.000000 UTC\n"
    )


def test_a_byte_order_mark_is_no_damage(room, inbox):
    (inbox / "ann.ipynb").write_bytes(b"\xef\xbb\xbf" + NOTEBOOK.encode("utf-8"))
    line = only(room, inbox / "ann.ipynb")
    assert line.status == "taken" and "broken" not in line.reason
    assert room.course.submitted("ann", room.module).joinpath(
        f"{room.module.stem}.ipynb"
    ).read_bytes() == NOTEBOOK.encode("utf-8")
    assert only(room, inbox / "ann.ipynb").status == "unchanged"


def test_the_reason_why_a_notebook_is_broken_is_for_an_instructor(room, inbox):
    (inbox / "ann.ipynb").write_text("{", encoding="utf-8")
    line = only(room, inbox / "ann.ipynb")
    assert line.reason.startswith("broken: ") and "tito" not in line.reason


def test_a_folder_per_student_and_plain_notebooks_are_taken(room, inbox):
    (inbox / "ann").mkdir()
    (inbox / "ann" / "homework final.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    (inbox / "bob.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    assert [
        (line.student, line.status) for line in collect.collect(room.course, room.module, [inbox])
    ] == [("ann", "taken"), ("bob", "taken")]
    assert room.course.students(room.module) == ["ann", "bob"]


def test_a_later_submission_keeps_the_earlier_one_aside(room, inbox):
    first, second = NOTEBOOK, NOTEBOOK.replace('"nbformat_minor": 5', '"nbformat_minor": 4')
    (inbox / "ann.ipynb").write_text(first, encoding="utf-8")
    assert only(room, inbox).status == "taken"
    assert only(room, inbox).status == "unchanged"
    (inbox / "ann.ipynb").write_text(second, encoding="utf-8")
    assert only(room, inbox).status == "replaced"
    assert (room.course.submitted("ann", room.module) / "tiny_dev.ipynb").read_text(
        encoding="utf-8"
    ) == second
    assert [
        path.read_text(encoding="utf-8")
        for path in (room.course.root / "replaced").rglob("*.ipynb")
    ] == [first]


def test_the_zip_of_tito_submit_says_who_when_and_what(room, inbox):
    manifest = {
        "schema": 1,
        "module": "07_tiny",
        "notebook": "tiny_dev.ipynb",
        "sha256": "0" * 64,
        "time": "2026-11-20T11:30:00+0130",
    }
    line = only(
        room,
        zip_with(
            inbox / "07_tiny-ann.zip",
            {"tiny_dev.ipynb": NOTEBOOK, "manifest.json": json.dumps(manifest)},
        ),
    )
    assert (line.student, line.status, line.reason) == (
        "ann",
        "taken",
        "the notebook was changed after `tito submit` packed it",
    )
    stamp = room.course.submitted("ann", room.module) / "timestamp.txt"
    assert stamp.read_text(encoding="utf-8") == "2026-11-20 10:00:00.000000 UTC\n"


@pytest.mark.parametrize(
    "members, reason",
    [
        ({"../../ann.ipynb": NOTEBOOK}, "leads out of it"),
        ({"/etc/x.ipynb": NOTEBOOK}, "leads out of it"),
        ({"C:\\x.ipynb": NOTEBOOK}, "leads out of it"),
        ({"a.ipynb": NOTEBOOK, "b.ipynb": NOTEBOOK}, "holds one notebook"),
        ({"readme.txt": "no"}, "holds one notebook"),
        ({"a.ipynb": b" " * (30 * 2**20)}, "unpacks to at most"),
        ({f"{n}.txt": "x" for n in range(21)}, "at most 20 files"),
        (
            {"a.ipynb": NOTEBOOK, "manifest.json": '{"module": "09_other"}'},
            "submission of 09_other",
        ),
    ],
)
def test_a_zip_that_lies_or_wanders_is_refused(room, inbox, members, reason):
    line = only(room, zip_with(inbox / "ann.zip", members))
    assert line.status == "refused" and reason in line.reason
    assert (inbox / "ann.zip").exists() and room.course.students(room.module) == []


def test_links_and_damaged_zips_are_refused(room, inbox):
    (inbox / "real").write_text(NOTEBOOK, encoding="utf-8")
    os.symlink(inbox / "real", inbox / "ann.ipynb")
    (inbox / "bob.zip").write_bytes(b"PK\x03\x04 not a zip")
    link = zipfile.ZipInfo("x.ipynb")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(inbox / "cara.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    lines = collect.collect(room.course, room.module, [inbox])
    assert [(line.student, line.status) for line in lines] == [
        ("ann", "refused"),
        ("bob", "refused"),
        ("cara", "refused"),
    ]
    assert all("link" in line.reason or "cannot be read" in line.reason for line in lines)


def test_a_path_that_does_not_exist_is_wrong_usage(room, inbox):
    code, text = room.tito("collect", str(inbox / "nowhere"), "--course", str(room.course.root))
    assert code == 2 and "does not exist" in text


def submission(path, student=None, *, notebook=NOTEBOOK, time="2026-11-20T10:00:00+00:00"):
    manifest = {"module": "07_tiny", "time": time, **({"student": student} if student else {})}
    return zip_with(path, {"tiny_dev.ipynb": notebook, "manifest.json": json.dumps(manifest)})


@pytest.mark.parametrize("name", ["-rf", "<script>", "\u202eann", "x" * 200])
def test_a_name_that_is_no_id_is_refused_whatever_the_manifest_says(room, inbox, name):
    for path, student in ((inbox / f"{name}.zip", None), (inbox / "07_tiny.zip", "../../x")):
        line = only(room, submission(path, student))
        assert line.status == "refused" and "student" in line.reason, line
    assert room.course.students(room.module) == []


def other(number: int) -> str:
    """A notebook different from NOTEBOOK."""
    return json.dumps({"cells": [], "metadata": {"n": number}, "nbformat": 4, "nbformat_minor": 5})


def taken(lines):
    return {line.student: line.status for line in lines}


def test_a_manifest_that_claims_a_classmates_id_changes_nothing_of_theirs(room, inbox):
    """The file's own name counts more than its manifest, and the line says that they differ."""
    submission(inbox / "ann.zip", "ann")
    submission(inbox / "mallory.zip", "ann", notebook=other(1), time="2026-11-20T11:00:00+00:00")
    lines = {line.student: line for line in collect.collect(room.course, room.module, [inbox])}
    assert (lines["ann"].status, lines["mallory"].status) == ("taken", "taken")
    assert (
        "claims to be of 'ann'" in lines["mallory"].reason
        and "says mallory" in lines["mallory"].reason
    )
    assert (room.course.submitted("ann", room.module) / "tiny_dev.ipynb").read_text(
        encoding="utf-8"
    ) == NOTEBOOK


def test_a_file_that_only_claims_an_id_never_takes_the_place_of_a_surer_one(room, inbox):
    submission(inbox / "ann.zip", "ann")
    submission(inbox / "07_tiny.zip", "ann", notebook=other(1), time="2026-11-20T11:00:00+00:00")
    lines = collect.collect(room.course, room.module, [inbox / "ann.zip", inbox / "07_tiny.zip"])
    assert sorted(line.status for line in lines) == ["refused", "taken"]
    assert "surely theirs" in next(line.reason for line in lines if line.status == "refused")
    line = only(room, inbox / "07_tiny.zip")  # nor in a later collect
    assert line.status == "refused" and "handed in before" in line.reason
    assert (room.course.submitted("ann", room.module) / "tiny_dev.ipynb").read_text(
        encoding="utf-8"
    ) == NOTEBOOK


@pytest.mark.parametrize("separately", [False, True])
def test_a_claim_in_another_case_keeps_nobodys_file_out(room, inbox, separately):
    late = "2099-01-01T00:00:00+00:00"  # a later time does not help a claim either
    claim = submission(inbox / "07_tiny.zip", "ALICE", notebook=other(1), time=late)
    own = submission(inbox / "alice.zip")
    if separately:
        assert only(room, claim).status == "taken"
        lines = [only(room, own)]
    else:
        lines = collect.collect(room.course, room.module, [claim, own])
    assert {line.student: line.status for line in lines}["alice"] in ("taken", "replaced")
    assert room.course.students(room.module) == ["alice"]
    place = room.course.submitted("alice", room.module)
    assert (place / "tiny_dev.ipynb").read_text(encoding="utf-8") == NOTEBOOK
    assert (place / "timestamp.txt").read_text(encoding="utf-8").startswith("2026-11-20")
    kept = list((room.course.root / "replaced").rglob("tiny_dev.ipynb"))
    assert len(kept) == separately  # what the claim had put there is moved, not deleted


def test_a_claim_of_the_same_id_with_a_later_time_is_replaced_by_the_surer_file(room, inbox):
    late = "2099-01-01T00:00:00+00:00"
    only(room, submission(inbox / "07_tiny.zip", "alice", notebook=other(1), time=late))
    assert only(room, submission(inbox / "alice.zip")).status == "replaced"
    place = room.course.submitted("alice", room.module)
    assert (place / "tiny_dev.ipynb").read_text(encoding="utf-8") == NOTEBOOK


def test_two_files_that_claim_one_id_and_nothing_else_are_both_for_a_person(room, inbox):
    first = submission(inbox / "07_tiny.zip", "ann")
    second = submission(inbox / "07_tiny (1).zip", "ann", notebook=other(1))
    lines = collect.collect(room.course, room.module, [first, second])
    assert [line.status for line in lines] == ["refused", "refused"] and all(
        "Rename the right one" in line.reason for line in lines
    )
    assert room.course.students(room.module) == []


def test_ids_that_differ_in_case_alone_are_not_mixed(room, inbox):
    submission(inbox / "ann.zip")
    assert only(room, inbox / "ann.zip").status == "taken"
    line = only(room, submission(inbox / "Ann.zip", notebook=other(1)))
    assert line.status == "refused" and "differ in case" in line.reason
    assert room.course.students(room.module) == ["ann"]


def test_an_older_file_does_not_replace_what_is_in(room, inbox):
    submission(inbox / "ann.zip", notebook=other(1), time="2026-11-20T11:00:00+00:00")
    only(room, inbox / "ann.zip")
    line = only(room, submission(inbox / "ann.zip", time="2026-11-20T10:00:00+00:00"))
    assert line.status == "older" and (
        room.course.submitted("ann", room.module) / "tiny_dev.ipynb"
    ).read_text(encoding="utf-8") == other(1)


def test_of_two_files_the_later_counts_and_a_copy_is_called_a_copy(room, inbox):
    for folder, notebook, hour in (("a", other(1), 9), ("b", other(2), 11), ("c", other(2), 11)):
        (inbox / "ann" / folder).mkdir(parents=True)
        submission(
            inbox / "ann" / folder / "07_tiny.zip",
            notebook=notebook,
            time=f"2026-11-20T{hour:02}:00:00+00:00",
        )
    lines = collect.collect(room.course, room.module, [inbox])
    assert sorted(line.status for line in lines) == ["duplicate", "older", "taken"]
    assert (room.course.submitted("ann", room.module) / "tiny_dev.ipynb").read_text(
        encoding="utf-8"
    ) == other(2)


@pytest.mark.parametrize(
    "notebook, reason",
    [("[" * 200_000 + "]" * 200_000, "broken: "), ('{"cells": ' * 100_000, "broken: ")],
)
def test_a_notebook_nested_without_end_is_taken_as_broken(room, inbox, notebook, reason):
    (inbox / "ann.ipynb").write_text(notebook, encoding="utf-8")
    line = only(room, inbox)
    assert line.status == "taken" and line.reason.startswith(reason)


def test_a_manifest_nested_without_end_or_of_odd_types_is_no_manifest(room, inbox):
    for student, text in (
        ("ann", "[" * 30_000),
        ("bob", "[1]"),
        ("cid", '{"student": [1], "time": {"a": 1}, "module": 7, "sha256": 3}'),
    ):
        zip_with(inbox / f"{student}.zip", {"tiny_dev.ipynb": NOTEBOOK, "manifest.json": text})
    assert taken(collect.collect(room.course, room.module, [inbox])) == {
        "ann": "taken",
        "bob": "taken",
        "cid": "taken",
    }


def test_a_file_larger_than_the_cap_is_refused_unread(room, inbox):
    with open(inbox / "ann.ipynb", "wb") as file:
        file.truncate(80 * 2**20)  # a sparse file, which takes no space on the disk
    line = only(room, inbox / "ann.ipynb")
    assert line.status == "refused" and "has 80 MiB" in line.reason


def test_a_size_that_lies_an_encrypted_and_a_nested_zip_are_refused(room, inbox):
    data = zip_with(inbox / "lie.zip", {"a.ipynb": b" " * 2**21}).read_bytes()
    place = data.index(b"PK\x01\x02")
    small = data[:place] + data[place:].replace(
        (2**21).to_bytes(4, "little"), (99).to_bytes(4, "little")
    )
    (inbox / "lie.zip").write_bytes(
        small.replace((2**21).to_bytes(4, "little"), (99).to_bytes(4, "little"))
    )
    locked = zip_with(inbox / "locked.zip", {"a.ipynb": NOTEBOOK}).read_bytes()
    place = locked.index(b"PK\x01\x02")
    (inbox / "locked.zip").write_bytes(
        locked[:place] + locked[place : place + 8] + b"\x01\x00" + locked[place + 10 :]
    )
    zip_with(
        inbox / "doll.zip",
        {"inner.zip": zip_with(inbox / "x.tmp", {"a.ipynb": NOTEBOOK}).read_bytes()},
    )
    lines = {line.student: line for line in collect.collect(room.course, room.module, [inbox])}
    assert {line.status for line in lines.values()} == {"refused"}
    assert (
        "cannot be read" in lines["lie"].reason
        and "encrypted" in lines["locked"].reason
        and "holds one notebook" in lines["doll"].reason
    )


def test_a_damaged_file_costs_nobody_else_anything(room, inbox):
    submission(inbox / "ann.zip")
    (inbox / "bob.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    (inbox / "cid.zip").write_bytes(b"")
    assert taken(collect.collect(room.course, room.module, [inbox])) == {
        "ann": "taken",
        "bob": "refused",
        "cid": "refused",
    }


def test_a_roster_is_kept_and_names_the_missing(room, inbox):
    submission(inbox / "ann.zip")
    (inbox / "roster.csv").write_text(
        '\ufeffName,ID,email\n"Lee, Ann",ann,ann@x.org\nBob Ray,bob,\n', encoding="utf-8"
    )
    lines = collect.collect(
        room.course, room.module, [inbox / "ann.zip"], roster=inbox / "roster.csv"
    )
    assert taken(lines) == {"ann": "taken", "bob": "missing"}
    assert "Lee, Ann" in (room.course.root / "roster.csv").read_text(encoding="utf-8")
    from grading.engine.nbgrader.library import gradebook

    with gradebook(room.course.db_url) as book:
        assert [(one.id, one.first_name, one.last_name, one.email) for one in book.students] == [
            ("ann", "Ann", "Lee", "ann@x.org"),
            ("bob", "Bob", "Ray", None),
        ]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("name,email\nAnn,a@x\n", "has a column id"),
        ("id\n../ann\n", "line 2"),
        ("id\nann\nANN\n", "again"),
        ("", "column id"),
        ('id,name\nann,"Lee\n', "CSV file in UTF-8"),
    ],
)
def test_a_roster_that_cannot_be_meant_is_wrong_usage(room, inbox, text, reason):
    (inbox / "roster.csv").write_text(text, encoding="utf-8")
    code, said = room.tito(
        "collect",
        str(inbox),
        "--roster",
        str(inbox / "roster.csv"),
        "--course",
        str(room.course.root),
    )
    assert code == 2 and reason in said


def test_the_screen_names_the_refused_file_and_counts_late_and_missing(room, inbox):
    set_due(room)
    submission(inbox / "ann.zip", time="2026-11-20T13:30:00+00:00")
    (inbox / "bob.zip").write_bytes(b"no")
    code, text = room.tito("collect", str(inbox), "--course", str(room.course.root))
    assert code == 1 and "1.5 h late" in text and str(inbox / "bob.zip") in text
    assert "1 submission of 07_tiny is in, 1 late; 1 refused" in text


def test_a_file_of_another_kind_is_listed_if_it_is_all_that_a_student_handed_in(room, inbox):
    from grading.engine.nbgrader.library import gradebook

    with gradebook(room.course.db_url) as book:
        for student in ("ann", "bob"):
            book.add_student(student)
    (inbox / "ann.pdf").write_bytes(b"%PDF-1.4")
    (inbox / "bob.pdf").write_bytes(b"%PDF-1.4")
    (inbox / "bob.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    (inbox / "README.txt").write_text("of nobody", encoding="utf-8")
    lines = collect.collect(room.course, room.module, [inbox])
    found = [(line.student, line.status) for line in lines]
    assert found == [("ann", "missing"), ("ann", "refused"), ("bob", "taken")]
    assert lines[1].reason == "a submission is a .zip or .ipynb; this is .pdf"
