"""Look for what may be wrong outside your code: Python, packages, kernel, terminal, disk, exports.

Each line that reports a problem names its fix. The exit code is 3 when a line says FAIL.
"""

from __future__ import annotations

import argparse

from tito import console
from tito.diagnosis import diagnose


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="one JSON document on stdout, to paste into a question"
    )


def run(args: argparse.Namespace) -> int:
    findings = diagnose()
    failed = any(finding.level == "FAIL" for finding in findings)
    if args.json:
        found = [vars(finding) for finding in findings]
        console.emit("doctor", {"ok": not failed, "findings": found})
        return 3 if failed else 0
    for finding in findings:
        color = {"ok": "green", "warn": "yellow", "FAIL": "red"}[finding.level]
        level = console.paint(f"{finding.level:<4}", color)
        console.say(f"{level}  {finding.what}: {finding.found}")
        if finding.level != "ok":
            console.say(f"        fix: {finding.fix}")
    mend, none = "Mend what says FAIL, then: tito doctor", "Nothing stands in the way. Next: tito"
    console.say(f"\n{mend if failed else none}")
    return 3 if failed else 0
