"""Files that are written anew."""

import errno
import os

import pytest

from tito.files import supersede


def test_a_file_that_is_superseded_is_never_absent_even_on_a_full_disk(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    path, replaced = tmp_path / "roster.csv", tmp_path / "replaced"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        supersede(path, "new", replaced)
    assert path.read_text(encoding="utf-8") == "old"
    monkeypatch.undo()
    supersede(path, "new", replaced)
    assert path.read_text(encoding="utf-8") == "new"
    assert {copy.read_text(encoding="utf-8") for copy in replaced.iterdir()} == {"old"}
