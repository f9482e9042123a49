"""Objects at the far end of a pipe, used like local ones. The same code runs at both ends.

A `Peer` sends requests (`request`) and answers them (`answer`). While it waits for an answer it
also answers requests of the other side, so a loader in the worker may read a dataset that lives in
the test, which may call the loader again. An object that cannot be sent by value stays where it is;
the other side holds a `Remote`, which turns `len(x)`, `x[i]`, `x(...)`, `iter(x)`, `next(x)` and
`x.name` into one request each.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import inspect
import itertools
import linecache
import os
import pathlib
import random
import sys
import textwrap
import traceback
import types
from collections import deque
from typing import Any

import numpy as np

from tito.contract import wire

SPECIALS = tuple(
    "__call__ __len__ __getitem__ __iter__ __next__ __contains__ __enter__ __exit__".split()
)
_ASKED_BY_NAME = {*SPECIALS, "__getitems__", "__name__", "__doc__"}
_NUMPY_RANDOM = frozenset(
    "random integers permutation shuffle choice uniform normal standard_normal bit_generator"
    " state".split()
)
# An exception group cannot be created without the exceptions in it. New in Python 3.11.
_GROUP = getattr(builtins, "BaseExceptionGroup", ())
_MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)
_REPLY = {"value", "raise", "broken"}
# Objects whose attributes lead into the interpreter (f_globals, gi_frame, __self__ ...). They may
# be called or iterated, but their attributes may not be read.
_OPAQUE = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.GeneratorType,
    types.FrameType,
    types.CodeType,
    types.TracebackType,
    types.CoroutineType,
)


class WorkerGone(BaseException):
    """The code under test cannot answer any more. This is not an Exception, so that no test
    mistakes it for an error that the student's code raised.

    Attributes:
        status: "error", or "timeout" when the time was used up.
    """

    def __init__(self, sentence: str, status: str = "error"):
        super().__init__(sentence)
        self.status = status


class Remote:
    """An object of the other side; `Peer` makes one class for each set of special methods."""

    def __init__(self, peer: Peer, number: int):
        self.__dict__.update(_peer=peer, _number=number)

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":  # what inspect.signature asks for, twice each time
            self.__dict__[name] = _signature(self._peer.request("signature", self._number))
            return self.__dict__[name]
        # Other special names are refused: NumPy would read memory at the address that
        # `__array_interface__` gives, and Python looks for further ones by itself.
        if name.startswith("__") and name not in _ASKED_BY_NAME:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._peer.request("attribute", self._number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        may = "a contract test may call, index, iterate and read, not change"
        raise AttributeError(f"{name} cannot be set here: {may}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in the other process>"

    def __del__(self) -> None:
        self._peer.unused.append(self._number)


def _special(name: str) -> Any:
    def method(self: Remote, *args: Any, **kwargs: Any) -> Any:
        return self._peer.request("special", self._number, name, *args, **kwargs)

    method.__name__ = name
    return method


@functools.lru_cache(maxsize=500)
def _remote_class(type_name: str, specials: tuple[str, ...]) -> type[Remote]:
    return type(type_name, (Remote,), {name: _special(name) for name in specials})


class Peer:
    """One end of the pipe.

    Args:
        pipe: has `send(pieces, request=None)`, where `request` is the number of the request that is
            sent, and `receive() -> (message, blobs)`.
        open_objects: True in the worker, whose objects belong to the student; False in the test,
            which shows only the methods of the objects that it lends.
    """

    show: Any = staticmethod(id)  # called with each path in a request, never with one in an answer
    gone: Any = RuntimeError  # what a request raises when no answer can come
    state: Any = None  # in the worker: the state of the process that each test begins with

    def __init__(self, pipe: Any, *, open_objects: bool):
        self.pipe, self.open_objects = pipe, open_objects
        self.objects: dict[int, Any] = {}
        # the other side's objects that nobody here holds any more
        self.unused: deque[int] = deque()
        self.numbers = itertools.count(1)
        # number of an own request that waits -> its reply; None until the reply has come
        self.replies: dict[int, tuple[dict, list] | None] = {}
        # the other side's request that is being answered; it tells which thread waits there
        self.answering: int | None = None
        self.stand_ins = StandIns()

    # Asking

    def request(self, operation: str, target: int, *args: Any, **kwargs: Any) -> Any:
        """Do `operation` on the other side's object `target`; return or raise what comes of it."""
        encode = wire.Encoder(self._lend, self.show)
        number = next(self.numbers)
        message = {"id": number, "do": operation, "on": target, "args": encode.all(args)}
        if kwargs:
            message["kwargs"] = [encode.all(pair) for pair in kwargs.items()]
        if self.answering is not None:
            message["in"] = self.answering
        if self.unused:
            message["unused"] = [self.unused.popleft() for _ in range(len(self.unused))]
        pieces = wire.pack(message, encode.blobs)
        self.replies[number] = None
        try:
            self.pipe.send(pieces, number)
            reply, blobs = self._wait_for(number)
        finally:
            del self.replies[number]
        if "broken" in reply:
            raise self.gone(wire.words([reply["broken"]]))
        try:
            if "raise" in reply:
                error = _rebuild(reply["raise"])
            else:
                return self._decoder(blobs)(reply["value"])
        except _MALFORMED as problem:
            raise _malformed(problem) from None
        raise error

    def _wait_for(self, number: int) -> tuple[dict, list]:
        """The reply to request `number`. Requests that arrive meanwhile are answered."""
        while (reply := self.replies[number]) is None:
            message, blobs = self.pipe.receive()
            if "re" not in message:
                self.answer(message, blobs)
                continue
            answered = message["re"]
            waits = type(answered) is int and self.replies.get(answered, "nothing") is None
            if not waits or not _REPLY & message.keys():
                raise wire.WireError("an answer that nobody asked for")
            self.replies[answered] = (message, blobs)
        return reply

    # Answering

    def serve(self) -> None:
        while True:
            self.answer(*self.pipe.receive())

    def answer(self, message: dict, blobs: list) -> None:
        number, before = message.get("id"), self.answering
        # A lent function may return a path that the other side made up, so `show` is not called.
        encode = wire.Encoder(self._lend)
        if type(number) is not int:
            raise wire.WireError("a message that is neither a request nor an answer")
        try:
            self.answering = number
            operation, target, args, kwargs = self._understood(message, blobs)
            value = encode(self._do(operation, self._own(target), args, kwargs))
            pieces = wire.pack({"re": number, "value": value}, encode.blobs)
        except (wire.WireError, WorkerGone):
            raise
        except wire.TooBig as problem:
            pieces = wire.pack({"re": number, "broken": str(problem)}, [])
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt) and not self.open_objects:
                raise  # Ctrl-C ends the run; the code under test must not catch it
            pieces = wire.pack({"re": number, "raise": describe(problem)}, [])
        finally:
            self.answering = before
        self.pipe.send(pieces)

    def _understood(self, message: dict, blobs: list) -> tuple[str, int, list, dict]:
        """(operation, target, args, kwargs) of a request; what is not held any more is dropped."""
        try:
            for number in message.get("unused", ()):
                self.objects.pop(number, None)
            decode = self._decoder(blobs)
            kwargs = dict(map(decode.all, message["kwargs"])) if "kwargs" in message else {}
            return message["do"], message["on"], decode.all(message["args"]), kwargs
        except _MALFORMED as problem:
            raise _malformed(problem) from None

    def _own(self, number: int) -> Any:
        if type(number) is not int or number not in self.objects:
            raise ReferenceError("the object was lent by a test that is over")
        return self.objects[number]

    def _do(self, operation: str, target: Any, args: list, kwargs: dict) -> Any:
        if operation == "special" and args[0] in SPECIALS:
            return getattr(type(target), args[0])(target, *args[1:], **kwargs)
        if operation == "attribute":
            return self._attribute(target, *args)
        if operation == "signature":
            return [
                [p.name, int(p.kind), p.default is not p.empty]
                for p in inspect.signature(target).parameters.values()
            ]
        if operation == "global_random_state" and self.open_objects:
            return global_random_state(*args)
        if operation == "restore" and self.state:
            return self.state.restore(*args)
        if operation == "run" and self.open_objects:
            return run_probe(target, *args)
        if operation == "stand_in" and self.open_objects:
            return self.stand_ins(target, *args)
        if operation == "put_back" and self.open_objects:
            return self.stand_ins.back()
        raise wire.WireError("a request that does not exist")

    def _attribute(self, target: Any, name: str) -> Any:
        if not self.open_objects and not _may_look(target, name):
            raise AttributeError(
                f"{type(target).__name__!r} object has no attribute {name!r}: what a test lends"
                " shows its methods, no data, and a callable can only be called"
            )
        return getattr(target, name)

    def _decoder(self, blobs: list) -> wire.Decoder:
        # The student's code receives paths of files. The test receives a PurePath, which cannot
        # open a file: the student's code chose its name.
        path = pathlib.Path if self.open_objects else pathlib.PurePath
        return wire.Decoder(blobs, self._borrow, self._own, path)

    # Objects that stay here

    def _lend(self, value: Any) -> dict:
        if isinstance(value, Remote):
            if value._peer is not self:
                raise TypeError("an object of another worker cannot be passed on")
            return {"back": value._number}
        closed = not self.open_objects and isinstance(value, _OPAQUE)
        if closed and not callable(value) and not hasattr(value, "__next__"):
            raise TypeError(f"a {type(value).__name__} cannot be lent to the code under test")
        number = next(self.numbers)
        self.objects[number] = value
        specials = [name for name in SPECIALS if hasattr(type(value), name)]
        return {"ref": {"id": number, "type": type(value).__name__, "specials": specials}}

    def _borrow(self, description: dict) -> Remote:
        specials = tuple(name for name in SPECIALS if name in description["specials"])
        type_name, number = str(description["type"]), description["id"]
        if type(number) is not int:
            raise TypeError("an object has a number")
        if not type_name.isidentifier() or len(type_name) >= 80:
            type_name = "object"
        return _remote_class(type_name, specials)(self, number)


def _malformed(problem: BaseException) -> wire.WireError:
    return wire.WireError(f"a value in the message is malformed: {type(problem).__name__}")


def _may_look(target: Any, name: str) -> bool:
    """Whether the code under test may read this attribute of an object that a test lends: methods
    only, never data, and no attribute at all of an object that can be called (such as a clock).
    """
    if isinstance(target, _OPAQUE):
        return name == "__name__"
    if name.startswith("_") and name != "__getitems__":
        return False
    if type(target).__module__.startswith("numpy.random"):
        # The course's seeds name a sample; one of NumPy's own would tell what the test draws.
        if name == "seed_seq":
            return not type(getattr(target, name, None)).__module__.startswith("numpy")
        return name in _NUMPY_RANDOM
    if callable(target):
        return False
    return any(callable(vars(cls).get(name)) for cls in type(target).__mro__[:-1])


def _signature(parameters: list) -> inspect.Signature:
    """The signature of the other side's function; every default is shown as None."""
    empty, kinds = inspect.Parameter.empty, inspect._ParameterKind
    shown = [
        inspect.Parameter(name, kinds(kind), default=None if optional else empty)
        for name, kind, optional in parameters
    ]
    return inspect.Signature(shown)


def global_random_state(stir: bool = False) -> str:
    """A digest of the global random generators: NumPy's legacy one and Python's `random`.

    `stir` draws from both first. Without this, code that sets the same seed again would leave the
    state as it was, and the digest would not change.
    """
    if stir:
        np.random.random()
        random.random()
    legacy: Any = np.random.get_state(legacy=True)
    kind, words, *rest = legacy
    state = repr((kind, words.tobytes(), rest, random.getstate()))
    return hashlib.sha256(state.encode()).hexdigest()


class StandIns:
    """What stands in for names of a module during one test."""

    def __init__(self) -> None:
        self.before: dict[str, Any] = {}
        self.module: Any = None

    def __call__(self, module: Any, name: str, source: str | None, other: Any) -> None:
        """Put `other` in the place of `name`; with a source, the object that it calls `other`."""
        self.module = module
        self.before.setdefault(name, vars(module).get(name, StandIns))
        setattr(module, name, other if source is None else _defined(source, other))

    def back(self) -> None:
        """Put the module's own objects back."""
        for name, own in self.before.items():
            if own is StandIns:  # there was none
                delattr(self.module, name)
            else:
                setattr(self.module, name, own)
        self.before.clear()


@functools.lru_cache(maxsize=500)
def probe_source(probe: Any) -> str:
    """The source of a probe, a function that needs nothing but its parameters."""
    return textwrap.dedent(inspect.getsource(probe))


def run_probe(module: Any, source: str, name: str, *args: Any) -> Any:
    """What the function `name` of `source` returns for the module under test and `args`."""
    return _defined(source, name)(module, *args)


def _defined(source: str, name: str) -> Any:
    namespace: dict[str, Any] = {"__name__": f"<{name}>"}
    exec(compile(source, f"<{name}>", "exec"), namespace)
    return namespace[name]


def generator_places() -> list[list[int]]:
    """Where the two generators lie in this process's memory: for each, the address of its 624 words
    and of its position among them. An empty list where the layout is not known.
    """
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return []
    own = id(random._inst) + object.__basicsize__  # the position, then the words: _randommodule.c
    numpys = np.random.mtrand._rand._bit_generator.ctypes.state_address  # the words come first
    return [[own + 4, own], [numpys, numpys + 624 * 4]]


# Exceptions


def describe(problem: BaseException) -> dict:
    """An exception as its nearest built-in type, its type's name, its message and `last_line`."""
    builtin = (cls for cls in type(problem).__mro__ if cls.__module__ == "builtins")
    return {
        "builtin": next(builtin).__name__,
        "type": type(problem).__name__,
        "message": wire.words([problem]),
        "at": last_line(problem),
    }


def last_line(problem: BaseException) -> list | None:
    """[file, line, function, text] of the deepest frame of the file under test, or None."""
    at = getattr(problem, CAME_FROM, None)
    # `traceback.extract_tb` would read the source of every frame, for each exception of a test.
    for frame, number in traceback.walk_tb(problem.__traceback__):
        if (file := frame.f_code.co_filename) == under_test:
            at = [file, number, frame.f_code.co_name, linecache.getline(file, number).strip()]
    return at


def import_sentence(import_name: str, problem: BaseException) -> str:
    """Why the file under test does not import, in one sentence, with the line of the statement at
    which its import ended, wherever that statement led.
    """
    if isinstance(problem, SyntaxError):
        return f"{import_name} does not import: {type(problem).__name__}: {problem}"
    file_name = os.path.join(*import_name.split(".")) + ".py"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(problem.__traceback__)
        if frame.filename.endswith(file_name)
    ]
    at = f" (line {lines[0]} of {os.path.basename(file_name)})" if lines else ""
    said = wire.words([type(problem).__name__ + ":", problem])
    return f"{import_name} does not import: {said}{at}"


CAME_FROM = "came_from"  # attribute of each exception that the other side raised: its last line
under_test: str | None = None  # the file of the package under test, set where it is imported


def _rebuild(description: dict) -> BaseException:
    """An exception of the described built-in type, with the original name and message."""
    base, name, message, at = (description[key] for key in ("builtin", "type", "message", "at"))
    if not all(type(text) is str for text in (base, name, message)) or (
        at is not None and [type(part) for part in at] != [str, int, str, str]
    ):
        raise TypeError("an exception is described by texts")
    kind: Any = getattr(builtins, base, None)
    ordinary = isinstance(kind, type) and issubclass(kind, (Exception, SystemExit))
    if not ordinary or issubclass(kind, _GROUP):
        kind = RuntimeError
    error: Any = _named(kind, name[:80], message[:2000])
    setattr(error, CAME_FROM, at and [part[:1000] if type(part) is str else part for part in at])
    return error


def _named(base: type[BaseException], name: str, message: str) -> BaseException:
    # __new__ without __init__: UnicodeDecodeError and its like want five arguments.
    shown: type[BaseException] = type(
        name if name.isidentifier() else base.__name__, (base,), {"__str__": lambda self: message}
    )
    error = shown.__new__(shown)
    error.args = (message,)
    if isinstance(error, StopIteration):
        # `yield from` reads this field in C and would crash the interpreter if it were unset
        error.value = None
    return error
