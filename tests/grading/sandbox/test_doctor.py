"""`tito grade doctor` reports which limits hold, and exits with 3 if one of the chosen level does
not.
"""

from __future__ import annotations

import argparse

import pytest

from grading.commands import doctor
from grading.engine import sandbox
from grading.engine.sandbox import attempts, doctor_probes


def run(capsys, monkeypatch, findings: dict[str, list[tuple[str, bool]]]) -> tuple[int, str]:
    def probe_level(level):
        if level not in findings:
            raise sandbox.SandboxError(f"{level} does not start")
        for name, held in findings[level]:
            yield doctor_probes.Finding(level, name, attempts.TEXTS[name], held, "tried")

    monkeypatch.setattr(doctor_probes, "probe_level", probe_level)
    code = doctor.run(argparse.Namespace())
    return code, capsys.readouterr().out


def test_all_held_at_the_best_level_is_0_whatever_the_others_do(capsys, monkeypatch):
    code, said = run(
        capsys, monkeypatch, {"namespaces": [("forks", True)], "limits": [("loopback", False)]}
    )
    assert code == 0
    assert "bubblewrap does not start" in said and "NOT HELD" in said and "NOT ISOLATED" not in said


@pytest.mark.parametrize("held", [False, None])
def test_one_limit_of_the_chosen_level_that_does_not_hold_is_3(capsys, monkeypatch, held):
    code, said = run(capsys, monkeypatch, {"namespaces": [("forks", True), ("mount", held)]})
    assert code == 3
    assert "1 limit of it does not hold: mount a file system" in said


def test_limits_only_is_called_not_isolated(capsys, monkeypatch):
    code, said = run(capsys, monkeypatch, {"limits": [("forks", True), ("loopback", False)]})
    assert code == 3
    assert "NOT ISOLATED" in said
    assert "A class is refused; one submission that you trust is graded with:" in said


def test_a_setting_that_stands_in_the_way_is_named_with_its_command(monkeypatch):
    from pathlib import Path

    monkeypatch.setattr(
        Path, "read_text", lambda path, **_: "1" if "apparmor_restrict" in str(path) else "15000"
    )
    monkeypatch.setattr(doctor_probes.os, "getuid", lambda: 1000)
    assert any(
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in line
        for line in doctor_probes.advice("namespaces")
    )
