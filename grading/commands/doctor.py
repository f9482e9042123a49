"""Try to break every limit of the sandbox, and report which limits hold on this machine.

Exit code 0 if all limits of the best level that starts hold, else 3.
"""

import argparse

IN_A_COURSE = False  # it looks at this machine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(args: argparse.Namespace) -> int:
    from grading.engine import sandbox
    from grading.engine.sandbox import doctor_probes
    from tito.console import counted, mark, say

    chosen, broken = None, []
    for level in sandbox.LEVELS:
        say(f"\n{level}")
        try:
            for finding in doctor_probes.probe_level(level):
                chosen = chosen or level
                if level == chosen and not finding.held:
                    broken.append(finding.text)
                word = {True: "held", False: "NOT HELD", None: "not tried"}[finding.held]
                say(
                    f"  {mark('pass' if finding.held else 'fail')}"
                    f" {word:<9} {finding.text:<45} {finding.detail}"
                )
        except sandbox.SandboxError as problem:
            advice = "\n".join(f"  {line}" for line in doctor_probes.advice(level))
            say(f"  not available: {problem}\n{advice}".rstrip())
    isolated = chosen not in (None, "limits")
    say(f"\nmemory is counted by {doctor_probes.counted_by()}")
    say(f"the level that grading takes here: {chosen or 'none'}")
    if not isolated:
        say(
            "NOT ISOLATED: student code can read your files and the course's answers, change"
            " the work of others and use the network. A class is refused; one submission that"
            " you trust is graded with: tito grade autograde A --student S"
        )
    elif broken:
        limits = counted(len(broken), "limit")
        verb = "does" if len(broken) == 1 else "do"
        say(f"{limits} of it {verb} not hold: {', '.join(broken)}")
    return 0 if chosen is not None and not broken else 3
