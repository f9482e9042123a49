"""Rounds in which several processes ask for one result, and the one that computes or writes it is
killed with kill -9. test_memo.py runs this in a process of its own.

    python memo_rounds.py at_once|killed ROUNDS FOLDER

It prints one JSON object with what went wrong in each round; it is empty if all went well.
"""

import json
import multiprocessing
import os
import signal
import sys
from pathlib import Path

ASKING_AT_ONCE = 3


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


def memo(function, folder):
    """`function` with its results kept in `folder`, by the reference's decorator."""
    from tinytorch.data.batch_loader import memo_pickle

    return memo_pickle(directory=folder)(function)


def started(work):
    """A process that runs `work` and ends with 0, or with 1 and a traceback."""
    sys.stdout.flush()
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    return process


def ends_well(process):
    process.join()
    return process.exitcode == 0


def kept(number):
    """The value that the tests compute: so large that most of it is in the file before pickling
    ends.
    """
    return [number, bytes([number % 251]) * 300_000]


def at_once(number, folder):
    """Several processes ask at the same moment for a result that was not yet computed."""
    computed = folder / f"computed-{number}"
    start, go = os.pipe()

    def slow(number):
        with open(computed, "ab", buffering=0) as file:
            file.write(b"x")
        return kept(number)

    def ask():
        os.close(go)
        os.read(start, 1)  # ends when the parent closes its end
        assert memo(slow, folder / "results")(number) == kept(number)

    processes = [started(ask) for _ in range(ASKING_AT_ONCE)]
    os.close(go)
    well = [ends_well(one) for one in processes]
    os.close(start)
    times = computed.stat().st_size
    return [] if all(well) and times == 1 else [f"computed {times} times, ended well: {well}"]


def killed(number, folder):
    """The first process is killed while it writes (even rounds) or computes (odd rounds), while a
    second process waits.
    """
    results = folder / "results"
    read, write = os.pipe()

    def load(number):
        if first:
            if number % 2:
                stop(write, b"c")
            return [kept(number), Stops(write)]
        return kept(number)

    def wait():
        os.write(write, b"a")
        assert memo(load, results)(number) == kept(number)

    first = ["yes"]
    victim = started(lambda: memo(load, results)(number))
    first.clear()
    said = os.read(read, 1)
    half = list(results.glob("*.tmp"))
    problems = [] if bool(half) == (said == b"w") else [f"files in mid-write after {said}: {half}"]
    waiter = started(wait)
    os.read(read, 1)
    victim.kill()
    victim.join()
    if not ends_well(waiter):
        problems.append("the one that waited failed")
    if memo(load, results)(number) != kept(number):
        problems.append("another result than the function's")
    for descriptor in (read, write):
        os.close(descriptor)
    return problems


def main(what, rounds, folder):
    folder = Path(folder)
    memo(kept, folder)  # imports what the children need once, before they are made
    found = {number: globals()[what](number, folder) for number in range(int(rounds))}
    left = [path.name for path in (folder / "results").glob("*.tmp")]
    kept_files = len(list((folder / "results").glob("*.memo")))
    bad = {number: problems for number, problems in found.items() if problems}
    print(json.dumps({"bad": bad, "left": left, "results": kept_files}))


if __name__ == "__main__":
    main(*sys.argv[1:])
