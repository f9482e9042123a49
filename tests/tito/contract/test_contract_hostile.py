"""A hostile process at the other end of the pipe: each false message is an error in a sentence."""

import subprocess
import sys

import pytest
from contract_kit import WINDOWS

from helpers.patience import PATIENCE_SECONDS
from tinytorch.testing import ReadLog
from tito.contract import process
from tito.contract.process import Worker
from tito.contract.proxy import WorkerGone

if WINDOWS:
    pytest.skip("the wire form needs POSIX pipes", allow_module_level=True)

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
def value(tree, *blobs): return frame({"re": N, "value": tree}, *blobs)
def array(*npy_of): return value({"array": 0}, npy(*npy_of))
def sizes(text): return frame(b'{"re": 1, "value": 1, "blobs": [' + text + b"]}")
def error(**says):
    described = {"builtin": "ValueError", "type": "E", "message": "m", "at": None}
    return frame({"re": N, "raise": {**described, **says}})
def request(number=7, do="special", **more):
    return frame({"id": number, "do": do, "on": 2, "args": [], **more})
def npy(dtype, count, data=b""):
    text = repr({"descr": dtype, "fortran_order": False, "shape": (count,)}).encode() + b"\\n"
    return b"\\x93NUMPY\\x02\\x00" + len(text).to_bytes(4, "little") + text + data
send(frame({"import": None}))
while True:
    asked = json.loads(exactly(int.from_bytes(exactly(4), "big")))
    for size in asked.get("blobs", []): exactly(size)
    if "id" not in asked: continue
    N = asked["id"]
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


NOBODY, NO_MESSAGE = "an answer that nobody asked for", "something that is not a message"
MALFORMED = "a value in the message is malformed"
UNKNOWN = "a request that does not exist"
LIES = {
    "another number": ('frame({"re": N + 1, "value": 1})', NOBODY),
    "an answer without a value": ('frame({"re": N})', NOBODY),
    "neither request nor answer": ('frame({"value": 1})', "neither a request nor an answer"),
    "a pickle": (r'frame(b"\x80\x04K\x01.")', NO_MESSAGE),
    "lengths that are a text": ("sizes(b'\"x\"')", "announced"),
    "lengths below zero": ('sizes(b"99, -99")', "announced"),
    "a terabyte of text": (r'b"\xff\xff\xff\xff"', "announced"),
    "deep nesting": ('frame(b\'{"re":\' + b"[" * 100000)', NO_MESSAGE),
    "deep values": ('value(eval("{\'list\':[" * 80 + "]}" * 80))', MALFORMED),
    "an unknown kind": ('value({"pickle": 0})', "unknown kind"),
    "an array named twice": ('value({"list": [{"bytes": 0}] * 2}, b"x" * 1000)', MALFORMED),
    "an array that is a pickle": (r'value({"array": 0}, b"\x80\x04K\x01.")', ".npy format"),
    "an array of objects": ('array("|O", 1, b"8" * 8)', "do not match"),
    "an array larger than its bytes": ('array("<f8", 10**12, b"8" * 8)', "do not match"),
    "keys that share a hash": (
        'value({"set": [k * (2**61 - 1) for k in range(30000)]})',
        "of more than",
    ),
    "an object without a number": (
        'value({"ref": {"id": "x", "type": "int", "specials": []}})',
        MALFORMED,
    ),
    "an error from a made-up place": ("error(at=[[], 1, 2, 3])", MALFORMED),
    "a request without a target": ('frame({"id": 7})', MALFORMED),
    "a request from nobody": ("request(None)", "neither a request"),
    "a request that does not exist": ('request(do="exec", args=["1"])', UNKNOWN),
    "arguments that are none": ("request(args=5)", MALFORMED),
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


NEVER = {
    "half a length": r'b"\0\0"',
    "silence": "b''",
    # It sends all requests without reading answers, so that this side never has to wait.
    "questions": '[send(request(on=1, args=["__len__"]) * 1000) for _ in iter(int, 1)]',
}


@pytest.mark.parametrize("says", NEVER)
def test_what_never_becomes_an_answer_is_a_timeout(says):
    worker = liar(NEVER[says], wall_seconds=0.5)
    worker.new_test()
    with pytest.raises(WorkerGone, match="a loop that never ends") as caught:
        worker.request("special", 0, "__call__", ReadLog("ab"))
    assert caught.value.status == "timeout" and not worker.alive


def test_an_object_that_was_never_lent_cannot_be_returned():
    worker = liar('value({"back": 99})')
    with pytest.raises(ReferenceError):
        worker.request("special", 0, "__call__")
    worker.close()


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "object", "no"])
def test_only_ordinary_errors_can_be_raised_here(name):
    worker = liar(f'error(builtin="{name}", type="Failed")')
    with pytest.raises(RuntimeError, match="m") as caught:
        worker.request("special", 0, "__call__")
    assert type(caught.value).__mro__[1] is RuntimeError
    worker.close()


def test_one_test_receives_a_limited_number_of_bytes(monkeypatch):
    monkeypatch.setattr(process, "MAX_TEST_BYTES", 10_000_000)
    worker = liar('value({"bytes": 0}, b"x" * 4_000_000)')
    kept = [worker.request("special", 0, "__next__") for _ in range(2)]
    with pytest.raises(WorkerGone, match="in one test"):
        worker.request("special", 0, "__next__")
    assert len(kept) == 2
