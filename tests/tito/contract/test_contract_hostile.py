"""A hostile process at the other end of the pipe: each false message leads to an error with one
sentence, never to a value, a hang or a crash.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from patience import PATIENCE_SECONDS

from tinytorch.testing import ReadLog
from tito.contract import process
from tito.contract.process import Worker
from tito.contract.proxy import WorkerGone

ROOT = str(Path(__file__).resolve().parents[3])
if sys.platform == "win32":
    pytest.skip(
        "the wire form needs POSIX pipes; --tt=wire says so on Windows", allow_module_level=True
    )

# Says hello, then answers each request with `say(request)`: bytes, sent as they are.
LIAR = """
import json, os, sys, time
def exactly(n):
    data = b""
    while len(data) < n:
        part = os.read(0, n - len(data))
        if not part: os._exit(0)
        data += part
    return data
def send(data):
    while data: data = data[os.write(1, data):]
def frame(message, *blobs):
    text = message
    if not isinstance(message, bytes):
        text = json.dumps({**message, "blobs": [len(b) for b in blobs]}).encode()
    return len(text).to_bytes(4, "big") + text + b"".join(blobs)
def npy(dtype, count, data=b""):
    text = repr({"descr": dtype, "fortran_order": False, "shape": (count,)}).encode() + b"\\n"
    return b"\\x93NUMPY\\x02\\x00" + len(text).to_bytes(4, "little") + text + data
send(frame({"import": None}))
while True:
    request = json.loads(exactly(int.from_bytes(exactly(4), "big")))
    for size in request.get("blobs", []): exactly(size)
    if "id" not in request: continue
    N = request["id"]
    send(eval(sys.argv[1]))
"""


def liar(says: str, wall_seconds: float = PATIENCE_SECONDS) -> Worker:
    def start(_, read_fd, write_fd):
        return process._Group(
            [sys.executable, "-I", "-c", LIAR, says],
            stdin=read_fd,
            stdout=write_fd,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    return Worker("liar", wall_seconds=wall_seconds, start=start)


NOBODY, MALFORMED, NO_MESSAGE = (
    "an answer that nobody asked for",
    "a value in the message is malformed",
    "something that is not a message",
)
LIES = {
    "another number": ('frame({"re": N + 1, "value": 1})', NOBODY),
    "a number of the past": ('frame({"re": N - 1, "value": 1})', NOBODY),
    "a number that is a float": ('frame({"re": float(N), "value": 1})', NOBODY),
    "a number that is true": ('frame({"re": True, "value": 1})', NOBODY),
    "a number that is a list": ('frame({"re": [N], "value": 1})', NOBODY),
    "an answer without a value": ('frame({"re": N})', NOBODY),
    "neither request nor answer": ('frame({"value": 1})', "neither a request nor an answer"),
    "a pickle": (r'frame(b"\x80\x04K\x01.")', NO_MESSAGE),
    "text for a message": ('frame(b"\\"equal to everything\\"")', NO_MESSAGE),
    "lengths that are NaN": ('frame(b\'{"re": 1, "value": 1, "blobs": [NaN]}\')', "announced"),
    "lengths that are true": ('frame(b\'{"re": 1, "value": 1, "blobs": [true]}\')', "announced"),
    "lengths below zero": ('frame(b\'{"re": 1, "value": 1, "blobs": [99, -99]}\')', "announced"),
    "lengths of a terabyte": (
        'frame(b\'{"re": 1, "value": 1, "blobs": [1000000000000]}\')',
        "announced",
    ),
    "a terabyte of text": (r'b"\xff\xff\xff\xff"', "announced"),
    "deep nesting": ('frame(b\'{"re":\' + b"[" * 100000)', NO_MESSAGE),
    "deep values": ('frame({"re": N, "value": eval("{\'list\':[" * 80 + "]}" * 80)})', MALFORMED),
    "a bare list": ('frame({"re": N, "value": [1]})', "malformed"),
    "two kinds at once": ('frame({"re": N, "value": {"list": [], "tuple": []}})', "malformed"),
    "an unknown kind": ('frame({"re": N, "value": {"pickle": 0}})', "unknown kind"),
    "an array that was not sent": ('frame({"re": N, "value": {"array": 0}})', MALFORMED),
    "an array named twice": (
        'frame({"re": N, "value": {"list": [{"bytes": 0}, {"bytes": 0}]}}, b"x" * 1000)',
        MALFORMED,
    ),
    "an array of objects": (
        'frame({"re": N, "value": {"array": 0}}, npy("|O", 1, b"8" * 8))',
        "do not match",
    ),
    "an array larger than its bytes": (
        'frame({"re": N, "value": {"array": 0}}, npy("<f8", 10**12, b"8" * 8))',
        "do not match",
    ),
    "items of no bytes": (
        'frame({"re": N, "value": {"array": 0}}, npy("|V0", 10**12))',
        "do not match",
    ),
    "keys that share a hash": (
        'frame({"re": N, "value": {"set": [k * (2**61 - 1) for k in range(30000)]}})',
        "of more than",
    ),
    "keys that have none": ('frame({"re": N, "value": {"set": [{"list": []}]}})', MALFORMED),
    "an object without a number": (
        'frame({"re": N, "value": {"ref": {"id": "x", "type": "int", "specials": []}}})',
        MALFORMED,
    ),
    "an object of no type": ('frame({"re": N, "value": {"ref": {"id": 5}}})', MALFORMED),
    "an error that is a number": ('frame({"re": N, "raise": 5})', MALFORMED),
    "an error from a made-up place": (
        (
            'frame({"re": N, "raise": {"builtin": "ValueError", "type": "ValueError", "message":'
            ' "m", "at": [[], 1, 2, 3]}})'
        ),
        MALFORMED,
    ),
    "an error without a message": (
        (
            'frame({"re": N, "raise": {"builtin": "ValueError", "type": "E", "message": {}, "at":'
            " None}})"
        ),
        MALFORMED,
    ),
    "a request without a target": ('frame({"id": 7})', MALFORMED),
    "a request from nobody": (
        'frame({"id": None, "do": "attribute", "on": 0, "args": ["reads"]})',
        "neither a request",
    ),
    "a request that does not exist": (
        'frame({"id": 7, "do": "exec", "on": 2, "args": ["1"]})',
        "a request that does not exist",
    ),
    "a request for the generators": (
        'frame({"id": 7, "do": "global_random_state", "on": 2, "args": []})',
        "a request that does not exist",
    ),
    "arguments that are none": ('frame({"id": 7, "do": "special", "on": 2, "args": 5})', MALFORMED),
    "a list of the unused that is none": (
        'frame({"id": 7, "do": "special", "on": 2, "args": [], "unused": [[]]})',
        MALFORMED,
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_one_sentence_and_the_end_of_the_process(lie):
    says, sentence = LIES[lie]
    worker = liar(says)
    try:
        with pytest.raises(WorkerGone, match=sentence) as caught:
            worker.request("special", 0, "__call__", ReadLog("ab"))
        assert caught.value.status == "error" and "\n" not in str(caught.value) and not worker.alive
    finally:
        worker.close()


@pytest.mark.parametrize(
    "says",
    [r'b"\0\0"', 'frame(b"{" * 10)[:9]', "b''"],
    ids=["half a length", "half a message", "silence"],
)
def test_what_never_becomes_an_answer_is_a_timeout(says):
    worker = liar(says, wall_seconds=0.5)
    worker.new_test()
    with pytest.raises(WorkerGone, match="a loop that never ends") as caught:
        worker.request("special", 0, "__call__")
    assert caught.value.status == "timeout" and not worker.alive


def test_questions_without_end_are_a_timeout():
    # It sends all requests without reading answers, so that this side never has to wait.
    asks = 'frame({"id": 7, "do": "special", "on": 1, "args": ["__len__"]}) * 1000'
    worker = liar(f"[send({asks}) for _ in iter(int, 1)]", wall_seconds=1)
    worker.new_test()
    with pytest.raises(WorkerGone) as caught:
        worker.request("special", 0, "__call__", ReadLog("ab"))
    assert caught.value.status == "timeout" and not worker.alive


def test_an_object_that_was_never_lent_cannot_be_returned():
    worker = liar('frame({"re": N, "value": {"back": 99}})')
    with pytest.raises(ReferenceError):
        worker.request("special", 0, "__call__")
    worker.close()


@pytest.mark.parametrize(
    "name",
    [
        "KeyboardInterrupt",
        "GeneratorExit",
        "BaseExceptionGroup",
        "ExceptionGroup",
        "object",
        "print",
        "nothing",
    ],
)
def test_only_ordinary_errors_can_be_raised_here(name):
    worker = liar(
        f'frame({{"re": N, "raise": {{"builtin": "{name}", "type": "Failed", "message": "m", "at":'
        " None}})"
    )
    with pytest.raises(RuntimeError, match="m") as caught:
        worker.request("special", 0, "__call__")
    assert type(caught.value).__mro__[1] is RuntimeError
    worker.close()


def test_one_test_receives_a_limited_number_of_bytes(monkeypatch):
    monkeypatch.setattr(process, "MAX_TEST_BYTES", 10_000_000)
    worker = liar('frame({"re": N, "value": {"bytes": 0}}, b"x" * 4_000_000)')
    kept = [worker.request("special", 0, "__next__") for _ in range(2)]
    with pytest.raises(WorkerGone, match="in one test"):
        worker.request("special", 0, "__next__")
    assert len(kept) == 2


# The real worker with hostile code in it

CODE = '''
import threading, time
import numpy as np

class Equal:
    """Equal to everything, and at every address."""
    __array_interface__ = {"version": 3, "shape": (8,), "typestr": "<f8", "data": (4096, False)}
    def __array__(self, *args, **kwargs): return np.ones(8)
    def __eq__(self, other): return True
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __index__(self): return 1

class Number(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__

def equal(): return Equal()
def number(): return Number(5)
def objects(): return np.array([{}], dtype=object)
def later(dataset):
    def read():
        for _ in range(100):
            try: dataset[0]
            except BaseException: pass
            time.sleep(0.001)
    threading.Thread(target=read, daemon=True).start()
def at_once(dataset, count):
    found = []
    threads = [threading.Thread(target=lambda k=k: found.append(dataset[k])) for k in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return sorted(found)
def double(x): return 2 * x
def ask(thing, *args): return thing(*args)
'''


@pytest.fixture
def worker(tmp_path):
    (tmp_path / "hostile.py").write_text(CODE, encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), ROOT])
    started = Worker(
        "hostile",
        wall_seconds=PATIENCE_SECONDS,
        cwd=tmp_path,
        environment={"PATH": os.environ["PATH"], "PYTHONPATH": paths},
    )
    yield started
    started.close()


def test_an_object_equal_to_everything_is_equal_to_nothing_here(worker):
    got = worker.module.equal()
    assert got != 1 and not got == np.ones(8).tolist()  # noqa: SIM201 - == is tested too
    for use in (
        float,
        int,
        lambda x: np.asarray(x, float),
        lambda x: np.array_equal(x, np.ones(8)) or 1 / 0,
        lambda x: range(5)[x],
    ):
        with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
            use(got)


def test_numpy_reads_no_memory_at_an_address_that_student_code_names(worker):
    got = worker.module.equal()
    for name in (
        "__array_interface__",
        "__array__",
        "__array_struct__",
        "__float__",
        "__class_getitem__",
        "__dict__x",
    ):
        with pytest.raises(AttributeError):
            getattr(got, name)
    assert np.asarray(got).dtype == object


def test_a_number_that_lies_about_itself_is_no_number_here(worker):
    got = worker.module.number()
    assert not isinstance(got, int) and got != 5


def test_an_array_of_objects_is_an_error_of_the_code_under_test(worker):
    with pytest.raises(TypeError, match="array of Python objects"):
        worker.module.objects()


def test_several_threads_read_a_lent_dataset_at_once(worker):
    class Slow(ReadLog):
        def __getitem__(self, index):
            time.sleep(0.005)  # so that all of them wait for an answer at the same time
            return super().__getitem__(index)

    assert worker.module.at_once(Slow(range(100)), 20) == list(range(20))


def test_a_thread_that_outlives_its_test_reaches_nothing_and_disturbs_nothing(worker):
    log = ReadLog("a")
    worker.module.later(log)
    reads = len(log.reads)
    worker.new_test()
    got = [worker.module.double(k) for k in range(200)]
    assert got == [2 * k for k in range(200)] and len(log.reads) == reads


def test_the_trusted_side_starts_no_thread(own_threads, worker):
    worker.module.at_once(ReadLog(range(9)), 3)
    assert own_threads == []
