"""Rounds in which a process asks for a result and is killed with kill -9 while it writes (even
rounds) or computes (odd rounds), and another process waits for the same result. test_memo.py runs
this in a process of its own.

    python memo_rounds.py ROUNDS FOLDER

It prints one JSON object with what went wrong in each round; it is empty if all went well.
"""

import json
import multiprocessing
import os
import signal
import sys
from pathlib import Path

from tinytorch.data.batch_loader import memo_pickle


class Stops:
    """A value whose pickling never ends, after it has sent a message through the pipe: so its
    writer is in the middle of a write when it is killed.
    """

    def __init__(self, pipe):
        self.pipe = pipe

    def __reduce__(self):
        stop(self.pipe, b"w")


def stop(pipe, said):
    os.write(pipe, said)
    while True:
        signal.pause()


def started(work):
    """A process that runs `work` and ends with 0, or with 1 and a traceback."""
    sys.stdout.flush()
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    return process


def kept(number):
    """The value that the tests compute: so large that most of it is in the file before pickling
    ends.
    """
    return [number, bytes([number % 251]) * 300_000]


def killed(number, results):
    """What went wrong in a round."""
    read, write = os.pipe()

    def load(number):
        if not first:
            return kept(number)
        if number % 2:
            stop(write, b"c")
        return [kept(number), Stops(write)]

    def wait():
        os.write(write, b"a")
        assert memo_pickle(directory=results)(load)(number) == kept(number)

    first = ["yes"]
    victim = started(lambda: memo_pickle(directory=results)(load)(number))
    first.clear()
    said = os.read(read, 1)
    half = list(results.glob("*.tmp"))
    problems = [] if bool(half) == (said == b"w") else [f"files in mid-write after {said}: {half}"]
    waiter = started(wait)
    os.read(read, 1)
    victim.kill()
    victim.join()
    waiter.join()
    if waiter.exitcode:
        problems.append("the one that waited failed")
    if memo_pickle(directory=results)(load)(number) != kept(number):
        problems.append("another result than the function's")
    for descriptor in (read, write):
        os.close(descriptor)
    return problems


def main(rounds, folder):
    results = Path(folder) / "results"
    found = {number: killed(number, results) for number in range(int(rounds))}
    left = [path.name for path in results.glob("*.tmp")]
    bad = {number: problems for number, problems in found.items() if problems}
    print(json.dumps({"bad": bad, "left": left, "results": len(list(results.glob("*.memo")))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
