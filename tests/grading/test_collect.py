"""`tito grade collect`: regular files of a sensible size come in, the rest gets a line that says why."""

from __future__ import annotations

import json
import os
import zipfile

import pytest

from grading.engine import collect


@pytest.fixture
def room(class_of_tiny, tmp_path):
    """The class with an empty course directory of its own (the gradebook's definitions come along)."""
    import shutil

    from grading.engine.course import Course

    course = Course(tmp_path / "course")
    for name in ("source", "release"):
        shutil.copytree(class_of_tiny.course.root / name, course.root / name)
    shutil.copyfile(class_of_tiny.course.root / "nbgrader_config.py", course.root / "nbgrader_config.py")
    from grading.engine.autograde import _definitions_only

    _definitions_only(class_of_tiny.course.database, course.database)
    return type(class_of_tiny)(class_of_tiny.workspace, class_of_tiny.module, course, {}, {})


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
    assert (intake["absent"].status, intake["absent"].reason) == ("missing", "nothing was handed in")
    assert intake["broken"].status == "taken" and intake["broken"].reason.startswith("broken: ")
    assert class_of_tiny.course.submitted("finished", class_of_tiny.module).joinpath("timestamp.txt").read_text(encoding="utf-8") \
        == "2026-11-20 10:00:00.000000 UTC\n"


def test_a_byte_order_mark_is_no_damage(room, inbox):
    (inbox / "ann.ipynb").write_bytes(b"\xef\xbb\xbf" + NOTEBOOK.encode("utf-8"))
    line = only(room, inbox / "ann.ipynb")
    assert line.status == "taken" and "broken" not in line.reason
    assert room.course.submitted("ann", room.module).joinpath(f"{room.module.stem}.ipynb").read_bytes() == NOTEBOOK.encode("utf-8")
    assert only(room, inbox / "ann.ipynb").status == "unchanged"


def test_the_reason_why_a_notebook_is_broken_is_for_an_instructor(room, inbox):
    (inbox / "ann.ipynb").write_text("{", encoding="utf-8")
    line = only(room, inbox / "ann.ipynb")
    assert line.reason.startswith("broken: ") and "tito" not in line.reason


def test_a_folder_per_student_and_plain_notebooks_are_taken(room, inbox):
    (inbox / "ann").mkdir()
    (inbox / "ann" / "homework final.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    (inbox / "bob.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    assert [(line.student, line.status) for line in collect.collect(room.course, room.module, [inbox])] == [("ann", "taken"), ("bob", "taken")]
    assert room.course.students(room.module) == ["ann", "bob"]


def test_a_later_submission_keeps_the_earlier_one_aside(room, inbox):
    first, second = NOTEBOOK, NOTEBOOK.replace('"nbformat_minor": 5', '"nbformat_minor": 4')
    (inbox / "ann.ipynb").write_text(first, encoding="utf-8")
    assert only(room, inbox).status == "taken"
    assert only(room, inbox).status == "unchanged"
    (inbox / "ann.ipynb").write_text(second, encoding="utf-8")
    assert only(room, inbox).status == "replaced"
    assert (room.course.submitted("ann", room.module) / "tiny_dev.ipynb").read_text(encoding="utf-8") == second
    assert [path.read_text(encoding="utf-8") for path in (room.course.root / "replaced").rglob("*.ipynb")] == [first]


def test_the_zip_of_tito_submit_says_who_when_and_what(room, inbox):
    manifest = {"schema": 1, "module": "07_tiny", "notebook": "tiny_dev.ipynb", "sha256": "0" * 64, "time": "2026-11-20T11:30:00+0130"}
    line = only(room, zip_with(inbox / "07_tiny-ann.zip", {"tiny_dev.ipynb": NOTEBOOK, "manifest.json": json.dumps(manifest)}))
    assert (line.student, line.status, line.reason) == ("ann", "taken", "the notebook was changed after `tito submit` packed it")
    stamp = room.course.submitted("ann", room.module) / "timestamp.txt"
    assert stamp.read_text(encoding="utf-8") == "2026-11-20 10:00:00.000000 UTC\n"


@pytest.mark.parametrize("members, reason", [
    ({"../../ann.ipynb": NOTEBOOK}, "leads out of it"),
    ({"/etc/x.ipynb": NOTEBOOK}, "leads out of it"),
    ({"C:\\x.ipynb": NOTEBOOK}, "leads out of it"),
    ({"a.ipynb": NOTEBOOK, "b.ipynb": NOTEBOOK}, "holds one notebook"),
    ({"readme.txt": "no"}, "holds one notebook"),
    ({"a.ipynb": b" " * (30 * 2**20)}, "unpacks to at most"),
    ({f"{n}.txt": "x" for n in range(21)}, "at most 20 files"),
    ({"a.ipynb": NOTEBOOK, "manifest.json": '{"module": "09_other"}'}, "submission of 09_other"),
    ({"a.ipynb": NOTEBOOK, "manifest.json": '{"student": "../ann"}'}, "a student's id is"),
])
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
    assert [(line.student, line.status) for line in lines] == [("ann", "refused"), ("bob", "refused"), ("cara", "refused")]
    assert all("link" in line.reason or "cannot be read" in line.reason for line in lines)


def test_a_path_that_does_not_exist_is_wrong_usage(room, inbox):
    code, text = room.tito("collect", str(inbox / "nowhere"), "--course", str(room.course.root))
    assert code == 2 and "does not exist" in text
