"""Try to break every limit of the sandbox, and report which limits hold on this machine.

Exit code 0 if all limits of the chosen level (the best that starts) hold, else 3.
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--level",
        choices=("namespaces", "bubblewrap", "limits"),
        help="try only this level (default: all)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from grading.engine import sandbox
    from grading.engine.sandbox import probes
    from tito.console import counted, emit, mark, say

    found, missing = [], {}
    for level in [args.level] if args.level else sandbox.LEVELS:
        if not args.json:
            say(f"\n{level}")
        try:
            for finding in probes.probe_level(level):
                found.append(finding)
                if not args.json:
                    word = {True: "held", False: "NOT HELD", None: "not tried"}[finding.held]
                    say(
                        f"  {mark('pass' if finding.held else 'fail')}"
                        f" {word:<9} {finding.text:<45} {finding.detail}"
                    )
        except sandbox.SandboxError as problem:
            missing[level] = {"reason": str(problem), "advice": probes.advice(level)}
            if not args.json:
                say(
                    "\n".join(
                        [
                            f"  not available: {problem}",
                            *(f"  {line}" for line in missing[level]["advice"]),
                        ]
                    )
                )
    tried = [level for level in sandbox.LEVELS if any(finding.level == level for finding in found)]
    chosen = tried[0] if tried else None
    broken = [finding for finding in found if finding.level == chosen and not finding.held]
    isolated = chosen is not None and chosen != "limits"
    if args.json:
        emit(
            "grade doctor",
            {
                "chosen": chosen,
                "isolated": isolated,
                "memory_counted_by": probes.counted_by(),
                "missing": missing,
                "findings": [asdict(finding) for finding in found],
            },
        )
    else:
        say(f"\nmemory is counted by {probes.counted_by()}")
        say(f"the level that grading takes here: {chosen or 'none'}")
        if not isolated:
            say(
                "NOT ISOLATED: student code can read your files and the course's answers, change"
                " the work of others and use the network. A class is refused; one submission that"
                " you trust is graded with: tito grade autograde A --student S"
            )
        if broken and isolated:
            say(
                f"{counted(len(broken), 'limit')} of it {'does' if len(broken) == 1 else 'do'} not"
                f" hold: {', '.join(finding.text for finding in broken)}"
            )
    return 0 if chosen is not None and not broken else 3
