"""Rounds in which several processes ask for one result, and the one that computes or writes it is
killed with kill -9. test_memo.py runs this in a process of its own.

    python memo_rounds.py at_once|killed ROUNDS FOLDER

It prints one JSON object with what went wrong in each round; it is empty if all went well.
"""

import json
import os
import signal
import sys
from pathlib import Path

ROUND_SECONDS = 600  # a hang guard: a round that takes longer kills this program (SIGALRM)
ASKING_AT_ONCE = 3


class Stops:
    """A value whose pickling never ends, after it has sent a message through the pipe: so its
    writer is in the middle of a write when it is killed.
    """

    def __init__(self, pipe):
        self.pipe = pipe

    def __reduce__(self):
        os.write(self.pipe, b"w")
        while True:
            signal.pause()


def memo(function, folder):
    """`function` with its results kept in `folder`, by the reference's decorator."""
    from tinytorch.data.batch_loader import memo_pickle

    return memo_pickle(directory=folder)(function)


def child(work):
    """Fork; the child runs `work` and exits with 0, or with 1 and a traceback."""
    sys.stdout.flush()
    number = os.fork()
    if number == 0:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - printed, then the process ends
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    return number


def ends_well(number):
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0


def kept(number):
    """The value that the tests compute: so large that most of it is in the file before pickling
    ends.
    """
    return [number, bytes([number % 251]) * 300_000]


def at_once(number, folder):
    """Several processes ask at the same moment for a result that was not yet computed."""
    computed = Path(folder, f"computed-{number}")
    start, go = os.pipe()

    def slow(number):
        with open(computed, "ab", buffering=0) as file:
            file.write(b"x")
        return kept(number)

    def ask():
        os.close(go)
        os.read(start, 1)  # ends when the parent closes its end
        assert memo(slow, Path(folder, "results"))(number) == kept(number)

    children = [child(ask) for _ in range(ASKING_AT_ONCE)]
    os.close(go)
    well = [ends_well(one) for one in children]
    os.close(start)
    times = computed.stat().st_size
    computed.unlink()
    return [] if all(well) and times == 1 else [f"computed {times} times, ended well: {well}"]


def killed(number, folder):
    """The first process is killed while it writes (even rounds) or computes (odd rounds), while a
    second process waits.
    """
    results = Path(folder, "results")
    read, write = os.pipe()
    first = []

    def load(number):
        if os.getpid() == first[0]:
            if number % 2:
                os.write(write, b"c")
                while True:
                    signal.pause()
            return [kept(number), Stops(write)]
        return kept(number)

    def ask():
        first.append(os.getpid())
        memo(load, results)(number)

    victim = child(ask)
    first.append(victim)
    said = os.read(read, 1)
    half = list(results.glob("*.tmp"))
    problems = [] if bool(half) == (said == b"w") else [f"files in mid-write after {said}: {half}"]

    def wait():
        os.write(write, b"a")
        assert memo(load, results)(number) == kept(number)

    waiter = child(wait)
    os.read(read, 1)
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    if not ends_well(waiter):
        problems.append("the one that waited failed")
    if memo(load, results)(number) != kept(number):
        problems.append("another result than the function's")
    for descriptor in (read, write):
        os.close(descriptor)
    return problems


def main(what, rounds, folder):
    memo(kept, folder)  # imports what the children need once, before they are made
    bad = {}
    for number in range(int(rounds)):
        signal.alarm(ROUND_SECONDS)
        if problems := globals()[what](number, folder):
            bad[number] = problems
    signal.alarm(0)
    left = [path.name for path in Path(folder, "results").glob("*.tmp")]
    kept_files = len(list(Path(folder, "results").glob("*.memo")))
    print(json.dumps({"bad": bad, "left": left, "results": kept_files}))


if __name__ == "__main__":
    main(*sys.argv[1:])
