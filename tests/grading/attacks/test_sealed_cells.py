"""Where each test cell has a sealed test, no forged notebook cell gains a point."""

from __future__ import annotations

from pathlib import Path

import pytest

from attacks import course as fort
from attacks.catalogue import runs
from attacks.conftest import fight, outside_tmp
from attacks.entries import forge, forge_io
from grading.engine import sandbox


@pytest.mark.long
def test_no_forgery_of_a_notebook_gains_a_point():
    with sandbox.open_sandbox() as box:
        isolated = box.isolated
    entries = [
        entry
        for entry in (*forge.ENTRIES, *forge_io.ENTRIES)
        if runs(entry, isolated) is None and entry.refused is None
    ]
    assert len(entries) > 40
    with outside_tmp() as place:
        for battle in fight(Path(place), entries, isolated, sealed=True):
            gained, lost = {}, {}
            for student, entry in battle.attacks():
                honest = {**fort.honest_guarded(entry.solved), **entry.sealed}
                found = battle.arena.points(student, "contract")
                assert battle.arena.points(student, "test") == {}
                assert set(found) == set(honest)
                gained |= {
                    (entry.name, cell): points
                    for cell, points in found.items()
                    if points > honest[cell] + 0.01
                }
                broken = not any(entry.sealed.values())
                lost |= {
                    (entry.name, cell): points
                    for cell, points in found.items()
                    if points < honest[cell] - 0.01 and not broken
                }
            assert gained == {} and lost == {}
            for student in battle.arena.neighbors:
                assert battle.arena.report(student)["points"] == fort.FULL_MARKS
