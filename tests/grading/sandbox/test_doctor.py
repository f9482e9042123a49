"""`tito grade doctor` reports which limits hold, and exits with 3 if one of the chosen level does
not.
"""

from __future__ import annotations

import argparse

import pytest

from grading.commands import doctor
from grading.engine import sandbox
from grading.engine.sandbox import doctor_probes
from grading.engine.sandbox.attempts_to_break_out import TEXTS


def run(capsys, monkeypatch, findings: dict[str, list[tuple[str, bool]]]) -> tuple[int, str]:
    def probe_level(level):
        if level not in findings:
            raise sandbox.SandboxError(f"{level} does not start")
        for name, held in findings[level]:
            yield doctor_probes.Finding(level, name, TEXTS[name], held, "tried")

    monkeypatch.setattr(doctor_probes, "probe_level", probe_level)
    code = doctor.run(argparse.Namespace())
    return code, capsys.readouterr().out


BEST = {"namespaces": [("forks", True)], "limits": [("loopback", False)]}
NOT_ISOLATED = "A class is refused; one submission that you trust is graded with:"


@pytest.mark.parametrize(
    "findings, wanted, says",
    [
        (BEST, 0, ["bubblewrap does not start", "NOT HELD"]),
        *(
            (
                {"namespaces": [("forks", True), ("mount", held)]},
                3,
                ["1 limit of it does not hold: mount a file system"],
            )
            for held in (False, None)
        ),
        ({"limits": [("forks", True), ("loopback", False)]}, 3, ["NOT ISOLATED", NOT_ISOLATED]),
    ],
)
def test_the_best_level_alone_decides(capsys, monkeypatch, findings, wanted, says):
    code, said = run(capsys, monkeypatch, findings)
    assert code == wanted and [one for one in says if one not in said] == []
    assert ("NOT ISOLATED" in said) == ("namespaces" not in findings)


def test_a_setting_that_stands_in_the_way_is_named_with_its_command(monkeypatch):
    def setting(path, **_):
        return "1" if "apparmor_restrict" in str(path) else "15000"

    monkeypatch.setattr(doctor_probes.Path, "read_text", setting)
    monkeypatch.setattr(doctor_probes.os, "getuid", lambda: 1000)
    command = "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    assert any(command in line for line in doctor_probes.advice("namespaces"))
