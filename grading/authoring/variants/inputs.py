"""What laws send to the code under test. It shows which promises are tested on fixed inputs, so
that code keeps them that knows these inputs and nothing else: those for which nothing new reaches
the code under test when the secret changes. And it shows the laws that draw from something else
than `draw`: a second run with the same secret and the laws in reversed order sends something else.

A pytest plugin notes each message that the laws send through the pipe: calls, the arguments of
probes, what lent objects answer. Numbers of objects and the state of the process are no inputs; a
path counts by what it leads to.
"""

import hashlib
import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tito.contract import process
from tito.notebook.exercises import Exercise
from tito.notebook.promises import promises

SEEDS = "0", "1"  # what the notebook draws from, and the secret of some class
# More secrets, for promises of which these two send the same: a law may draw one of two inputs.
MORE_SEEDS = "2", "3", "4"
_NUMBERS = {"id", "re", "in", "on", "unused"}  # of requests and objects; "at" is a line of code
# A promise such as 1a.2, or an exercise -> digests of what reached the code under test.
Notes = dict[str, list[str]]


def read(path: Path) -> Notes:
    return json.loads(path.read_text(encoding="utf-8"))


def fixed(known: Notes, others: Sequence[Notes]) -> list[str]:
    """The promises whose laws send nothing with other secrets that they did not send before."""
    first = others[0]
    return [
        one
        for one in first
        if all({*notes.get(one, ())} <= {*known.get(one, ())} for notes in others)
    ]


def summary(asked: Sequence[Exercise], drawn: Notes, listed: Sequence[str]) -> str:
    """How many of the promises that have laws have fixed inputs, what they earn, and which they
    are.
    """
    worth = {
        promise.id: one.points / len(said)
        for one in asked
        for said in [promises(one)]
        for promise in said
        if promise.id in drawn
    }
    listed = [one for one in worth if one in listed]
    points, total = sum(worth[promise] for promise in listed), sum(worth.values())
    names = f": {', '.join(listed)}" if listed else ""
    return (
        f"promises with fixed inputs: {len(listed)} of {len(worth)},"
        f" {points:.1f} of {total:g} points{names}"
    )


# The plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--note-inputs", metavar="FILE", help="note what each promise's laws send")
    parser.addoption("--reversed", action="store_true", help="run the last test first")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--reversed"):
        items.reverse()


def pytest_configure(config: pytest.Config) -> None:
    path = Path(config.getoption("--note-inputs"))
    config.pluginmanager.register(_Noting(path, config.getoption("basetemp")), "notes of inputs")


class _Noting:
    def __init__(self, path: Path, folder: str):
        self.path, self.notes = path, dict[str, set[str]]()
        self.sent: set[str] | None = None  # by the law that runs
        self.shared: dict[str, set[str]] = {}  # by all laws of an exercise so far
        send = process.Pipe.send

        def noted(pipe: process.Pipe, pieces: list, request: int | None = None) -> None:
            if self.sent is not None:
                self.sent.add(_digest(folder, *pieces))
            send(pipe, pieces, request)

        process.Pipe.send = noted  # type: ignore[method-assign, assignment]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
        law, self.sent = getattr(pyfuncitem.function, "law", None), set()
        yield
        sent, self.sent = self.sent, None
        if law is not None:
            shared = self.shared.setdefault(law.exercise, set())
            shared |= sent
            sent = sent or shared  # without a message of its own it looks at what others had made
            self.notes.setdefault(f"{law.exercise}.{law.number}", set()).update(sent)

    def pytest_sessionfinish(self) -> None:
        notes = self.notes | self.shared
        inputs_of = {key: sorted(sent) for key, sent in notes.items()}
        self.path.write_text(json.dumps(inputs_of), encoding="utf-8")


def _digest(folder: str, head: bytes, *blobs: Any) -> str:
    message = json.loads(head[4:])  # behind its length
    text = json.dumps(_values(message)).replace(folder, "")  # each run has a folder of its own
    digest = hashlib.sha256(text.encode())
    for blob in blobs:
        digest.update(blob)
    return digest.hexdigest()[:16]


def _values(tree: Any) -> Any:
    """A message without what is no input."""
    if isinstance(tree, list):
        return [_values(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if "path" in tree:
        return _contents(Path(tree["path"]))
    return {key: _values(one) for key, one in tree.items() if key not in _NUMBERS | {"back", "at"}}


def _contents(path: Path) -> list:
    """The name of a file or folder, and what is in it."""
    if path.is_dir():
        return [path.name, *map(_contents, sorted(path.iterdir()))]
    data = path.read_bytes() if path.is_file() else b""
    return [path.name, hashlib.sha256(data).hexdigest()]
