"""Stable bytes: equal for equal values in every process, different for different values and for
code with different behavior.
"""

import dataclasses
import datetime
import enum
import functools
import importlib
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from helpers.patience import python
from tinytorch.data.stable_bytes import code_bytes, stable_bytes


class Color(enum.Enum):
    RED = 1
    ROSE = 2


class Ink(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Crop:
    size: int
    padding: int = 4


VALUES = [
    *(None, True, False, 0, 1, -1, 1.0, 0.0, -0.0, float("nan"), float("inf"), 1 + 0j, ...),
    *("", "1", "é", b"", b"1", bytearray(b"1")),
    *((), [], {}, set(), frozenset(), (1,), [1], {1}, frozenset({1}), {1: 1}),
    *(((1,),), ((), ()), ((),), (1, 2), (2, 1), (12,), {"a": 1, "b": 2}, {"a": 2, "b": 1}),
    *(("a", "b"), ("ab",), ("a)str(b",), ("a)3:str(1:b",)),
    *(range(3), range(1, 3), slice(3), slice(0, 3), Path("a"), Path("b")),
    *(Color.RED, Color.ROSE, Ink.RED, Crop(1), Crop(1, 5)),
    *(datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2)),
    *(np.int64(1), np.int32(1), np.float32(1), np.dtype("i4"), np.dtype("i8")),
    *(np.array(1), np.array([1]), np.array([[1]]), np.array([1], np.int32), np.array([1], ">i8")),
    *(np.zeros((2, 3)), np.zeros((3, 2)), np.zeros((2, 3), np.int64)),
    *(np.zeros((0, 3)), np.zeros((0, 2)), np.array([1.0, np.nan]), np.array(["a", "b"])),
    np.array(["2020-01-01"], "M8[D]"),
    np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    *(np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
]


def test_different_values_have_different_bytes():
    seen = {}
    for value in VALUES:
        assert stable_bytes(value) not in seen, (value, seen.get(stable_bytes(value)))
        seen[stable_bytes(value)] = value


SCRIPT = """
    import hashlib, sys
    sys.path[:0] = {here!r}
    from test_stable import VALUES, helper_user
    from tinytorch.data.stable_bytes import stable_bytes, code_bytes
    values = [*VALUES, {{"x", "y", "z"}}, {{"x": {{"p", "q"}}, "y": 2}}]
    everything = b"".join(map(stable_bytes, values)) + code_bytes(helper_user)
    print(hashlib.sha256(everything).hexdigest())
"""


def test_another_process_with_another_hash_seed_gives_the_same_bytes():
    code = textwrap.dedent(SCRIPT.format(here=[str(Path(__file__).parent), *sys.path]))
    said = {python("-c", code, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
    assert len(said) == 1 and len(said.pop().strip()) == 64


def test_neither_the_order_of_keys_nor_where_a_value_lies_in_memory_counts(tmp_path):
    array = np.arange(60_000, dtype=np.int32).reshape(300, 200)
    np.save(tmp_path / "a.npy", array)
    wide = np.zeros((300, 400), np.int32)
    wide[:, ::2] = array
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    for same in (np.asfortranarray(array), wide[:, ::2], mapped, array.copy()):
        assert stable_bytes(same) == stable_bytes(array)
    assert len(stable_bytes(array)) < 200
    array[299, 199] += 1
    assert stable_bytes(array) != stable_bytes(mapped)
    assert stable_bytes({"a": 1, "b": 2}) == stable_bytes({"b": 2, "a": 1})
    shared = [1]
    assert stable_bytes([shared, shared]) == stable_bytes([[1], [1]])


LOOP: list = [1]
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "value, says",
    [
        (object(), "builtins.object"),
        (iter([]), "list_iterator"),
        (np.array([object()]), "Python objects"),
        ({"a": [object()]}, "builtins.object"),
        (LOOP, "contains itself"),
    ],
)
def test_what_has_no_stable_bytes_is_refused_by_name(value, says):
    with pytest.raises((TypeError, ValueError), match=says):
        stable_bytes(value)


# Code


def made(source, **globals_):
    """The last function that `source` defines, as if typed in a program of its own."""
    space = {"__name__": "__main__", **globals_}
    exec(compile(textwrap.dedent(source), "<typed>", "exec"), space)
    return [
        value
        for value in space.values()
        if callable(value) and getattr(value, "__module__", None) == "__main__"
    ][-1]


def helper(x):
    return x + 1


def helper_user(x):
    return helper(x)


BASE = """
    SCALE = 2

    class Reader:
        step = 8
        def read(self):
            return 9

    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 7)

    def double(x):
        return x * SCALE

    def load(path, size=3):
        total = double(size), Reader().read(), even(6)
        return [total for _ in range(2)]
    """


def test_lines_comments_and_file_do_not_count():
    moved = "\n\n# a comment\n" + textwrap.dedent(BASE).replace(" total =", " # why\n    total =")
    assert code_bytes(made(BASE)) == code_bytes(made(moved))


@pytest.mark.parametrize(
    "old, new",
    [
        ("double(size)", "double(size) + 1"),
        ("size=3", "size=4"),
        ("SCALE = 2", "SCALE = 5"),
        ("x * SCALE", "x + SCALE"),
        ("n - 7", "n - 5"),
        ("return 9", "return 1"),
        ("step = 8", "step = 1"),
        ("return [total for", "return [total + 1 for"),
        ("total for", "path for"),
        ("[total for _ in range(2)]", "(*[total for _ in range(2)],)"),
    ],
)
def test_a_change_of_what_the_function_does_changes_the_bytes(old, new):
    assert old in BASE and code_bytes(made(BASE.replace(old, new))) != code_bytes(made(BASE))


def test_a_closure_variable_counts_by_value():
    def make(scale):
        return lambda x: x * scale

    assert code_bytes(make(2)) == code_bytes(make(2)) != code_bytes(make(3))


def test_helpers_in_an_own_module_count_and_libraries_by_version(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    seen = []
    for value in (1, 2):
        # each file gets its own name: one written twice in a second may be read from its first .pyc
        name = f"own_helpers_{value}"
        (tmp_path / f"{name}.py").write_text(f"def answer():\n    return {value}\n")
        module = importlib.import_module(name)
        del sys.modules[name]
        module.__name__ = module.answer.__module__ = "own_helpers"
        seen.append(code_bytes(made("def load():\n    return own.answer()\n", own=module)))
    assert seen[0] != seen[1]
    mean = made("def load(x):\n    return np.mean(x)\n", np=np)
    before = code_bytes(mean)
    monkeypatch.setattr(np, "__version__", "0.0.1")
    assert code_bytes(mean) != before


def test_running_a_function_does_not_change_its_bytes():
    # The interpreter optimizes bytecode while it runs, and a call may change what it refers to.
    calls = []
    note, again = calls.append, functools.partial(calls.append)

    def load(x):
        calls.append(helper_user(x))
        note(again(x))

    before = code_bytes(load)
    for n in range(5000):
        load(n)
    assert code_bytes(load) == before


def test_partials_decorated_functions_and_installed_ones():
    assert code_bytes(functools.partial(helper, 1)) != code_bytes(functools.partial(helper, 2))
    assert code_bytes(functools.lru_cache(helper))
    assert code_bytes(np.mean) != code_bytes(np.median)
    assert code_bytes("abc".upper) != code_bytes("abd".upper)
    assert code_bytes(Crop(1).__eq__) != code_bytes(Crop(2).__eq__)
    assert code_bytes(len) != code_bytes(sum)


def test_an_object_whose_code_cannot_be_seen_is_refused():
    loader = type("Loader", (), {"__call__": helper})
    with pytest.raises(TypeError, match=r"Loader cannot be seen.*with def"):
        code_bytes(loader())
