"""Damaged files, read-only folders, full disks: each ends in a message, and nothing is lost."""

import errno
import json
import os
import time

import pytest

from tito.files import backup, write_atomic
from tito.notebook.cells import cells_of
from tito.notebook.stubs import stubs
from tito.notebook.syntax_errors import syntax_errors
from tito.run.runner import make_scratch

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("metadata", [{"grade_id": 5}, {"points": float("nan")}, {"points": [1]}])
def test_metadata_of_the_wrong_kind_is_left_out(course, tito, metadata):
    notebook = course.load()
    notebook["cells"][7 if "points" in metadata else 3]["metadata"]["nbgrader"].update(metadata)
    course.save(notebook)
    # starting pytest takes a second and is not needed here
    (course.module.tests / "test_adder.py").unlink()
    for words in ("export 07 --partial", "submit 07 --no-test", "test 07"):
        assert tito(*words.split())[0] in (0, 1)


def test_code_that_is_nested_without_end_is_a_syntax_error():
    source = "x = " + "-" * 200_000 + "1"
    sources = (source, source + "\nraise NotImplementedError('your turn: x')")
    raw = [{"cell_type": "code", "metadata": {}, "source": source} for source in sources]
    cells = cells_of({"metadata": {}, "cells": raw})
    assert [cell.index for cell, _, _ in syntax_errors(cells)] == [1, 2] and not stubs(cells)


OF_THE_MODULE = [
    [],
    {"hints": [], "synced": 5},
    {"seen": {"test_add": "x"}},
    {"seen": {"test_add": {"status": 5, "code": "x"}}},
    {"of a newer tito": 1},
]
STATES = [json.dumps({"modules": {"07_adder": part}}) for part in OF_THE_MODULE]


@pytest.mark.parametrize("state", ["{half", *STATES])
def test_a_damaged_state_costs_nothing_and_is_put_aside_if_it_is_no_json(course, tito, state):
    course.solve()
    folder = course.root / ".tito"
    folder.mkdir()
    (folder / "state.json").write_text(state, encoding="utf-8")
    for words in ("status", "hint 07 add", "export 07 --partial"):
        assert tito(*words.split())[0] == 0
    kept = [path.read_text(encoding="utf-8") for path in folder.glob("state-damaged-*.json")]
    assert kept == [state][: state == "{half"]
    now = (folder / "state.json").read_text(encoding="utf-8")
    assert ("newer" in now) == ("newer" in state)


@pytest.mark.parametrize(
    "old, new, says",
    [
        ('number = "07"', "number = ", "TOML"),
        ('title = "Adder"', 'title = ""', "title"),
        ('notebook = "adder_dev"', 'notebook = "../x"', "file name"),
        ("needs = []", "needs = 5", "needs"),
        ("needs = []", "needs = []\nright = -1", "`right` is a number"),
        ("after = []", "after = [3]", "after"),
        ('add = ["sums", "the operator +", "return a + b"]', "add = []", "hints of add"),
        ("[hints]", "hints = 5\n[other]", "hints"),
    ],
)
def test_a_module_toml_with_a_wrong_value_names_the_key_and_the_file(course, tito, old, new, says):
    path = course.module.folder / "module.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    code, _, err = tito("status")
    assert code == 3 and says in err and "module.toml" in err and "Repair" in err


def test_a_disk_that_refuses_the_state_takes_no_hint_and_no_test_away(course, tito, monkeypatch):
    course.solve()

    def full(path, data):
        raise FULL

    monkeypatch.setattr("tito.remembered_state.write_atomic", full)
    code, out, err = tito("hint", "07", "add")
    assert code == 0 and "sums" in out and "cannot remember" in err
    code, out, err = tito("test", "07", "-k", "add", "--json")
    assert code == 0 and json.loads(out)["ok"] and "cannot remember" in err


def test_a_copy_of_a_read_only_course_can_be_written(course, tmp_path):
    folders = [course.root / "tinytorch" / "core", course.root / "tinytorch"]
    try:
        for folder in folders:
            folder.chmod(0o555)
        scratch = make_scratch(course.module, [], tmp_path / "scratch")
        assert all(os.stat(place).st_mode & 0o200 for place, _, _ in os.walk(scratch))
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_a_backup_that_fails_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("mine", encoding="utf-8")

    def full(source, target):
        target.write_bytes(b"mi")
        raise FULL

    monkeypatch.setattr("shutil.copy2", full)
    with pytest.raises(OSError, match="No space"):
        backup(path, tmp_path / "backups")
    assert list((tmp_path / "backups").iterdir()) == []


def test_what_a_killed_process_left_is_swept_later_and_what_another_writes_now_is_not(tmp_path):
    old, young = tmp_path / ".a.txt.1-1.tmp", tmp_path / ".a.txt.2-2.tmp"
    for path in (old, young):
        path.write_text("half", encoding="utf-8")
    os.utime(old, (time.time() - 7200,) * 2)
    write_atomic(tmp_path / "a.txt", "whole")
    assert not old.exists() and young.exists()
