"""The code under test behind its pipe: used like a local object, it cannot harm the tests."""

import os
import re
import time
from pathlib import Path

import numpy as np
import pytest
from contract_kit import CODE, WINDOWS, start

from helpers.patience import PATIENCE_SECONDS
from tinytorch.core.rng import EpochKey
from tinytorch.testing import FakeClock, ReadLog
from tito.contract import process, wire
from tito.contract.proxy import WorkerGone

if WINDOWS:
    pytest.skip("the wire form needs POSIX pipes", allow_module_level=True)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    worker = start(tmp_path_factory.mktemp("workspace"), "sample", CODE)
    yield worker
    worker.close()


@pytest.fixture
def tt(shared):
    assert shared.alive
    shared.new_test()
    return shared.module


@pytest.fixture
def own(tmp_path):
    """A worker that the test may kill or damage."""
    worker = start(tmp_path, "sample", CODE)
    yield worker
    worker.close()


def test_functions_go_both_ways(tt):
    assert tt.call(lambda x, y: x + y, 2, 3) == 5
    made = tt.do("lambda x: x + 1")
    assert made(41) == 42 and tt.call(made, 1) == 2
    loader = tt.Loader([1])
    assert tt.do("a is b", a=loader, b=loader), (
        "the object itself comes back, not a stand-in for a stand-in"
    )
    # there, back, there and back again; also from a thread
    assert tt.call(lambda n: tt.call(lambda m: m * 10, n) + 1, 4) == 41
    assert tt.from_thread(lambda x: tt.call(lambda y: y + 1, x)) == [2]
    asked = "list(inspect.signature(given).parameters)"
    assert tt.do(asked, given=lambda image, rng=None: image) == ["image", "rng"]


def test_a_lent_object_does_here_what_it_is_asked_for_there(tt):
    class Gathering(ReadLog):
        def __getitems__(self, indices):
            return [self[i] for i in indices]

    gathers = "hasattr(given, '__getitems__') and given.__getitems__([0, 1])"
    assert tt.do(gathers, given=Gathering("abc")) == ["a", "b"]
    assert tt.do(gathers, given=ReadLog("abc")) is False
    lent, twin = np.random.default_rng(3), np.random.default_rng(3)
    drawn = tt.do("[lent.random(), int(lent.integers(10))]", lent=lent)
    assert drawn == [twin.random(), int(twin.integers(10))]
    assert lent.random() == twin.random()


def test_exceptions_keep_their_builtin_type_name_and_message(tt):
    class Broken(ReadLog):
        def __getitem__(self, index):
            raise OSError("disk is gone")

    with pytest.raises(ValueError, match="batch_size must be 1 or more, got 0"):
        tt.Loader([1], batch_size=0)
    with pytest.raises(KeyError) as caught:
        tt.own_error()
    assert type(caught.value).__name__ == "OwnError" and str(caught.value) == "'lost'"
    with pytest.raises(UnicodeDecodeError, match="invalid start byte"):
        tt.decode_error()
    with pytest.raises(SystemExit):
        tt.do("sys.exit(4)")
    with pytest.raises(OSError, match="disk is gone"):
        list(tt.Loader(Broken("ab")))
    with pytest.raises(TypeError, match="array of Python objects"):
        tt.do("np.array([{}], dtype=object)")


def test_what_the_code_prints_and_reads_does_not_meet_the_pipe(tt):
    assert tt.noise() == "" and tt.echo(1) == ((1,), {})


class Shelf:
    size = 3

    def __init__(self):
        self.seconds = [0.5]

    @property
    def cost(self):
        return sum(self.seconds)

    def read(self, start):
        return start + self.size


def test_lent_objects_show_their_methods_and_nothing_else(tt):
    log, shelf, clock = ReadLog("ab"), Shelf(), FakeClock()
    assert tt.call(tt.peek(shelf, "read"), 4) == 7 and tt.call(clock) == 1000.0
    for thing, *names in (
        (log, "reads", "__class__", "__dict__", "_hidden"),
        (shelf, "seconds", "size", "cost"),
        (clock, "now", "advance"),
        ((number for number in [1]), "gi_frame"),
        (test_functions_go_both_ways, "__globals__"),
        (log.__len__, "__self__"),
        (np.random.default_rng(0).bit_generator, "ctypes", "seed_seq"),
        (ReadLog, "mro"),
    ):
        for name in names:
            with pytest.raises(AttributeError):
                tt.peek(thing, name)
    with pytest.raises(TypeError, match="cannot be lent"):
        tt.echo(os)
    seed = tt.peek(EpochKey.of(0, 0).generator(7).bit_generator, "seed_seq")
    assert tt.call(tt.peek(seed, "sample"))[1] == 7


def test_a_path_that_comes_back_reaches_no_file_and_is_not_shown(shared, tt, tmp_path, monkeypatch):
    """A path from the code under test cannot be opened, even if a lent function passes it on."""
    shown = []
    monkeypatch.setattr(shared, "show", shown.append)
    (given, listed), _ = tt.echo(tmp_path, [tmp_path / "x"])
    assert shown == [tmp_path, tmp_path / "x"]
    assert (given, listed) == (tmp_path, [tmp_path / "x"])
    assert not isinstance(given, Path) and not isinstance(listed[0], Path)
    assert tt.call(lambda path: [path, tmp_path / "mine"], given) == [tmp_path, tmp_path / "mine"]
    assert tt.call(str, given) == str(tmp_path) and len(shown) == 2


def test_an_object_equal_to_everything_is_equal_to_nothing_here(tt):
    got, number = tt.Equal(), tt.Number(5)
    assert got != 1 and not got == np.ones(8).tolist()  # noqa: SIM201 - == is tested too
    assert not isinstance(number, int) and number != 5
    for use in (
        float,
        int,
        lambda x: np.asarray(x, float),
        lambda x: np.array_equal(x, np.ones(8)) or 1 / 0,
        lambda x: range(5)[x],
    ):
        with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
            use(got)
    # NumPy reads no memory at an address that student code names
    for name in ("array_interface__", "array__", "float__"):
        with pytest.raises(AttributeError):
            getattr(got, f"__{name}")
    assert np.asarray(got).dtype == object


def test_several_threads_read_a_lent_dataset_at_once_and_none_is_started_here(tt, own_threads):
    class Slow(ReadLog):
        def __getitem__(self, index):
            time.sleep(0.005)  # so that all of them wait for an answer at the same time
            return super().__getitem__(index)

    assert tt.at_once(Slow(range(100)), 20) == list(range(20))
    assert own_threads == []


def test_a_thread_that_outlives_its_test_reaches_nothing_and_disturbs_nothing(own):
    log = ReadLog("a")
    own.module.later(log)
    reads = len(log.reads)
    own.new_test()
    assert [own.module.echo(k)[0] for k in range(200)] == [(k,) for k in range(200)]
    assert len(log.reads) == reads


@pytest.mark.parametrize(
    "code, sentence",
    [
        ("os._exit(3)", r"ended its process \(exit code 3\)"),
        ("os.kill(os.getpid(), 9)", r"was killed \(SIGKILL\)"),
        ("flood()", "sent a message of"),
        ("np.zeros(100_000_000, np.uint8)", "100 MB|95 MiB"),
        ("'x' * 70_000_000", "larger than the"),
    ],
)
def test_code_that_dies_or_floods_is_an_error_in_one_sentence(own, code, sentence):
    with pytest.raises(WorkerGone, match=sentence) as caught:
        own.module.do(code)
        own.module.echo(1)
    assert caught.value.status == "error" and "\n" not in str(caught.value)
    if "kill" in code:
        with pytest.raises(WorkerGone, match="has ended"):
            own.module.echo(1)


def test_the_worker_ends_when_its_test_is_gone_even_in_a_loop(own):
    loop = {"id": 10**6, "do": "special", "on": own.module.loop._number, "args": ["__call__"]}
    own.pipe.send(wire.pack(loop, []))
    own.pipe.close()
    assert own.process.wait(timeout=PATIENCE_SECONDS) is not None


ENDLESS = r"TimeoutError: it used 0.5 s of processor time; is there a loop that never ends\?"
IMPORTS = [
    ("broken", "def f(:\n", "does not import: SyntaxError"),
    ("raising", "x = 1\nraise RuntimeError('no')\n", r"RuntimeError: no \(line 2 of raising\.py\)"),
    ("absent", None, "No module named"),
    ("endless", "x = 1\nwhile True:\n    x = 1\n", rf"^endless does not import: {ENDLESS} \(line "),
    (
        "caught",  # CPython does not promise that a signal inside `try` raises inside it
        "try:\n    while True: int()\nexcept TimeoutError: pass\nwhile True: int()\n",
        r"TimeoutError: .* \(line [24] of caught\.py\)$",
    ),
]


@pytest.mark.parametrize("name, code, sentence", IMPORTS, ids=[row[0] for row in IMPORTS])
def test_a_package_that_does_not_import_says_why(tmp_path, monkeypatch, name, code, sentence):
    monkeypatch.setattr(process, "IMPORT_CPU_SECONDS", 0.5)
    worker = start(tmp_path, name, code)
    worker.close()
    assert re.search(sentence, worker.import_problem)


def test_yield_from_an_iterator_behind_the_pipe_ends_and_does_not_crash_python(tt):
    def outer():
        yield from tt.Loader([1, 2, 3])

    assert list(outer()) == [[1, 2], [3]]
