"""Run the faults in faults.py repeatedly; the test suite runs each once (test_worker_faults.py).

python tests/tinytorch/data/fault_rounds.py --rounds 50 --method fork [--only WORD]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import leak_watch
from faults import FAULTS


def run(name: str, method: str) -> str | None:
    """Run the fault in a program of its own; do what comes from outside once it has printed
    "ready". Return None if it ends with its code and leaves nothing behind, else what went wrong.
    """
    outside, code, names = FAULTS[name].outside, FAULTS[name].code, leak_watch.named_memory()
    script = str(Path(__file__).with_name("faults.py"))
    program = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", script, name, method],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    said = ""
    try:
        if outside is not None:
            said = program.stdout.readline()
            if said == "ready\n":
                outside(program)
        out, err = program.communicate(timeout=leak_watch.GUARD_SECONDS)
        leak_watch.wait_until(lambda: not leak_watch.session(program.pid))
        left = leak_watch.session(program.pid)
    except subprocess.TimeoutExpired:
        return f"hangs; its processes are {leak_watch.session(program.pid)}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.kill()
        program.communicate()
    if left:
        return f"left processes {left}"
    if program.returncode != code or (code == 0 and not out.endswith("clean\n")):
        return f"ended with {program.returncode}, not {code}:\n{said}{out}{err}"
    if code == 0 and err:
        return f"wrote to stderr:\n{err}"
    if not leak_watch.wait_until(lambda: not leak_watch.named_memory() - names):
        return f"left in /dev/shm: {sorted(leak_watch.named_memory() - names)}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--method", choices=("fork", "spawn"), default="fork")
    parser.add_argument("--only", default="", help="faults with this word in their name")
    args = parser.parse_args()
    names = [name for name in FAULTS if args.only in name]
    failed: Counter[str] = Counter()
    for number in range(1, args.rounds + 1):
        for name in names:
            problem = run(name, args.method)
            if problem:
                failed[name] += 1
                print(f"{name}: {problem}", flush=True)
        print(
            f"{args.method}, round {number} of {args.rounds}: {len(names)} faults,"
            f" {sum(failed.values())} failures so far {dict(failed) or ''}",
            flush=True,
        )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
