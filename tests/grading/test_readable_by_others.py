"""Files are made readable for another user, and no mode outside the engine's own folder changes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.run.sealed_tests import _Sandboxed
from grading.engine.sandbox import SandboxLimits

NAMES = ("folder", "deeper", "file", "outside", "..", "link", "second")
MODES = st.sampled_from([0o000, 0o400, 0o500, 0o600, 0o640, 0o700, 0o755, 0o777])


def modes(place: Path) -> dict[Path, int]:
    found = (place, *place.rglob("*"))
    return {path: path.lstat().st_mode for path in found if not path.is_symlink()}


def make(place: Path, private: list[int]) -> tuple[Path, Path]:
    """(the engine's folder, another folder); links and hard links lead from the first to the
    second.
    """
    own, foreign = place / "own", place / "outside"
    for root in (own, foreign):
        (root / "folder" / "deeper").mkdir(parents=True)
        for path in (root / "file", root / "folder" / "file", root / "folder" / "deeper" / "file"):
            path.touch()
    for folder in (own, own / "folder"):
        (folder / "link").symlink_to(foreign)
        os.link(foreign / "file", folder / "second")
    found = [
        *(foreign, foreign / "folder", foreign / "file"),
        *(own / "folder", own / "folder" / "deeper", own / "file", own / "folder" / "file"),
    ]
    for path, mode in zip(reversed(found), private, strict=True):
        # so that an ordinary user can look into folders
        path.chmod(mode | 0o500 if path.is_dir() else mode)
    return own, foreign


@given(st.lists(st.sampled_from(NAMES), max_size=5), st.lists(MODES, min_size=7, max_size=7))
def test_whatever_the_path_says_nothing_outside_changes_and_nothing_inside_is_taken(names, private):
    with tempfile.TemporaryDirectory() as name:
        own, foreign = make(Path(name).resolve(), private)
        outside, inside = modes(foreign), modes(own)
        _Sandboxed("", own, own, SandboxLimits()).pytest_contract_path(own.joinpath(*names))
        assert modes(foreign) == outside
        for path, mode in modes(own).items():
            before = inside[path]
            given_now = mode & ~before
            assert mode & before == before, "a permission was taken away"
            assert given_now & ~(before >> 3 & 0o055 | before >> 6 & 0o055) == 0, path
        for path in modes(foreign):
            path.chmod(0o700)  # so that an ordinary user can remove them


@pytest.mark.parametrize("swapped", ["folder", "folder/file", "folder/deeper"])
def test_what_is_swapped_for_a_link_between_two_looks_changes_nothing_outside(
    tmp_path, monkeypatch, swapped
):
    """Another process may act between any two system calls. Here it acts after the first call, then
    in another try after the second, and so on.
    """
    calls = 0

    def then_swap(call):
        def calling(*arguments, **options):
            nonlocal calls
            found = call(*arguments, **options)
            calls += 1
            if calls == moment:
                os.rename(own / swapped, place / "away")
                os.symlink(foreign / Path(swapped).name, own / swapped)
            return found

        return calling

    for moment in range(1, 1000):
        place, calls = tmp_path.resolve() / str(moment), 0
        own, foreign = make(place, [0o600, 0o600, 0o700, 0o700, 0o600, 0o700, 0o700])
        outside = modes(foreign)
        with monkeypatch.context() as patch:
            for name in ("open", "stat", "fstat", "lstat", "scandir", "fchmod", "chmod"):
                patch.setattr(os, name, then_swap(getattr(os, name)))
            _Sandboxed("", own, own, SandboxLimits()).pytest_contract_path(own / "folder")
        assert modes(foreign) == outside, f"swapped after call {moment}"
        if calls < moment:
            break
    assert 10 < moment < 1000
