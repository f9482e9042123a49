"""`tito grade collect` and damaged, lying and foreign files, all in one inbox: each gets a line
that says what is wrong with it, and costs nobody else anything.
"""

from __future__ import annotations

import codecs
import json
import os
import zipfile
from pathlib import Path

import pytest

from grading.engine.intake.submission import read_submission
from helpers.inboxes import manifest, notebook, packed, put
from helpers.written_marks import blank

NEXT = "Ask for the notebook again; until then it earns nothing"
WORK = {"cells": [{"cell_type": "raw", "metadata": {}, "source": "Größe"}], "metadata": {}}
BEFORE_4 = {"worksheets": [{"cells": [{"cell_type": "code", "input": "a = 1"}]}], "nbformat": 3}
ENCODINGS = {f"{form}.ipynb": form for form in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32")}
ENCODINGS["cp1252.ipynb"] = "cp1252"
MANIFESTS = ("[" * 30_000, "[1]", '{"student": [1], "time": {"a": 1}, "module": 7, "sha256": 3}')


def with_link() -> bytes:
    entry = zipfile.ZipInfo("x.ipynb")
    entry.external_attr = 0o120777 << 16
    return packed([(entry, "/etc/passwd")])


def locked() -> bytes:
    """A zip whose directory says that its file is encrypted."""
    data = packed({"a.ipynb": notebook()})
    place = data.index(b"PK\x01\x02") + 8
    return data[:place] + b"\x01\x00" + data[place + 2 :]


def lying() -> bytes:
    """A zip that says that its file has 99 bytes."""
    data = packed({"a.ipynb": b" " * 2**21})
    return data.replace((2**21).to_bytes(4, "little"), (99).to_bytes(4, "little"))


NESTED = packed({"a.ipynb": notebook()})
# The name of a file -> its content, and what its line says.
REFUSED = {
    "above.zip": (packed({"../../ann.ipynb": notebook()}), "leads out of it"),
    "root.zip": (packed({"/etc/x.ipynb": notebook()}), "leads out of it"),
    "drive.zip": (packed({"C:\\x.ipynb": notebook()}), "leads out of it"),
    "two.zip": (packed({"a.ipynb": notebook(), "b.ipynb": notebook()}), "holds one notebook"),
    "none.zip": (packed({"readme.txt": "no"}), "holds one notebook"),
    "doll.zip": (packed({"x.zip": packed({"y.zip": NESTED})}), "holds one notebook"),
    "bomb.zip": (packed({"a.ipynb": b" " * (30 * 2**20)}), "unpacks to at most"),
    "many.zip": (packed({f"{n}.txt": "x" for n in range(21)}), "at most 20 files"),
    "other.zip": (
        packed({"a.ipynb": notebook(), "manifest.json": manifest(module="09_other")}),
        "submission of 09_other",
    ),
    "names.ipynb": (
        notebook().replace('"n": 0', '"tito": {"module": "06_other"}'),
        "Collect it with --module 06_other",
    ),
    "linked.zip": (with_link(), "link"),
    "locked.zip": (locked(), "Ask for it without a password"),
    "lie.zip": (lying(), "cannot be read"),
    "cut.zip": (b"PK\x03\x04 not a zip", "cannot be read"),
    "empty.zip": (b"", "cannot be read"),
    "soft.ipynb": (b"", "this is a link"),
    "large.ipynb": (b"", "has 80 MiB. Make a notebook smaller: jupyter nbconvert --clear-output"),
}
BROKEN = {
    "empty.ipynb": (b"", "this file is empty"),
    "zeros.ipynb": (b"\0" * 999, "this file is empty"),
    "end.ipynb": (notebook()[:-9], "ends in the middle, as after a broken upload"),
    "zip.ipynb": (b"PK\x03\x04...", "a zip or an Office document"),
    "pdf.ipynb": (b"%PDF-1.7", "a PDF"),
    "page.ipynb": (b"<!DOCTYPE html><title>GitHub</title>", "a web page"),
    "cells.ipynb": (b'{"nbformat": 3}', "list of cells; the file has none"),
    "lists.ipynb": ("[" * 200_000 + "]" * 200_000, ""),
    "dicts.ipynb": ('{"cells": ' * 100_000, ""),
}
TAKEN = {
    "ann.zip": packed({"tiny_dev.ipynb": notebook(), "manifest.json": manifest()}),
    "nested.zip": packed({"x.zip": NESTED}),
    "before4.ipynb": json.dumps(BEFORE_4),
    "own.ipynb": notebook().replace('"n": 0', '"tito": {"module": "07_tiny"}'),
    **{
        f"manifest{number}.zip": packed({"tiny_dev.ipynb": notebook(), "manifest.json": text})
        for number, text in enumerate(MANIFESTS)
    },
    **{name: json.dumps(WORK, ensure_ascii=False).encode(form) for name, form in ENCODINGS.items()},
}


@pytest.fixture(scope="module")
def room(workspace, tmp_path_factory):
    return blank(workspace, tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def lines(room):
    inbox = room.course.root.parent / "inbox"
    odd = {name: data for name, (data, _) in {**REFUSED, **BROKEN}.items()}
    for name, data in {**odd, **TAKEN}.items():
        put(inbox / name, data)
    (inbox / "soft.ipynb").unlink()
    (inbox / "soft.ipynb").symlink_to(inbox / "ann.zip")
    os.truncate(inbox / "large.ipynb", 80 * 2**20)  # sparse: it takes no space on the disk
    found = room.collect(inbox)
    assert sorted(os.listdir(inbox)) == sorted({**odd, **TAKEN})
    return {Path(line.source).name: line for line in found}


@pytest.mark.parametrize("name", REFUSED)
def test_what_lies_wanders_or_is_too_much_is_refused(lines, name):
    assert lines[name].status == "refused" and REFUSED[name][1] in lines[name].reason


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_notebook_is_taken_as_broken_with_the_next_step(lines, name):
    said = lines[name].reason
    assert lines[name].status == "taken" and said.startswith("broken: ")
    assert BROKEN[name][1] in said and NEXT in said and "tito" not in said


def test_everybody_elses_work_is_taken(room, lines):
    said = {(lines[name].status, "broken" in lines[name].reason) for name in TAKEN}
    assert said == {("taken", False)}
    taken = {Path(name).stem for name in (*BROKEN, *TAKEN)}
    assert set(room.course.students(room.module)) == taken


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_notebook_in_another_encoding_is_read(room, lines, name):
    form, student = ENCODINGS[name], Path(name).stem
    assert ("saved as" in lines[name].reason) == (form != "utf-8-sig")
    found = read_submission(room.notebook(student).parent, student, {"tiny_dev": set()})
    assert json.loads(found.notebooks["tiny_dev"]) == WORK
    assert bool(found.notes) == (form != "utf-8-sig")
    assert not room.notebook(student).read_bytes().startswith(codecs.BOM_UTF8)
    assert room.only(room.course.root.parent / "inbox" / name).status == "unchanged"
