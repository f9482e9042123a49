"""A damaged or hostile batch file leads to an error that names the file, never to another exception
or a side effect.
"""

import hashlib
import os
import pickle
import re
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tinytorch.datasets import DamagedFile, cifar10, read_batch, read_meta


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> bytes:
    """A whole batch file of two images; its 6,144 pixels are all 200, so that other bytes are
    easy to find.
    """
    path = tmp_path_factory.mktemp("good") / "data_batch_1"
    cifar10.write_batch(path, np.full((2, 3072), 200, np.uint8), [3, 8], ["cat.png", "ship.png"])
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data_batch_3"


def content(**changes) -> dict:
    images, names = np.zeros((2, 3072), np.uint8), [b"a", b"b"]
    whole = {"batch_label": b"x", "labels": [3, 8], "data": images, "filenames": names, **changes}
    return {key.encode(): value for key, value in whole.items()}


def error_of(path, blob: bytes, read=read_batch) -> str:
    """The message of the error; it must name the file and say what to do."""
    path.write_bytes(blob)
    with pytest.raises(DamagedFile) as caught:
        read(path)
    assert str(path) in str(caught.value) and "again" in str(caught.value)
    return str(caught.value)


def whole_or_refused(path, blob: bytes) -> None:
    path.write_bytes(blob)
    try:
        batch = read_batch(path)
    except DamagedFile as error:
        assert str(path) in str(error)
        return
    assert batch["data"].dtype == np.uint8 and batch["data"].shape == (len(batch["labels"]), 3072)
    assert batch["labels"].dtype == np.int64 and set(batch["labels"].tolist()) <= set(range(10))


def test_a_file_cut_off_anywhere_is_refused(path, good):
    pixels = good.index(b"\xc8" * 6144)
    within = range(pixels + 2, pixels + 6144, 211)
    for length in (*range(pixels + 2), *within, *range(pixels + 6144, len(good))):
        error_of(path, good[:length])


def test_one_changed_byte_of_a_published_file_is_found_by_its_checksum(path, good, monkeypatch):
    # `good` stands for the published file of its name; it is as large as what is read below
    digest = hashlib.md5(good, usedforsecurity=False).hexdigest()
    monkeypatch.setitem(cifar10.PUBLISHED, path.name, (len(good), digest))
    path.write_bytes(good)
    assert read_batch(path)["labels"].tolist() == [3, 8]
    pixels = good.index(b"\xc8" * 6144)
    for position in (pixels, pixels + 5000, good.index(b"cat.png")):
        message = error_of(path, good[:position] + b"\x07" + good[position + 1 :])
        assert "another checksum" in message and digest in message
    other = path.with_name("data_batch_9")  # a file of another name was not published
    other.write_bytes(good.replace(b"\xc8" * 6144, b"\x07" * 6144))
    assert read_batch(other)["data"].max() == 7


@settings(max_examples=150)
@given(st.data())
def test_bytes_replaced_removed_or_put_in_give_a_well_formed_batch_or_a_refusal(
    tmp_path_factory, good, data
):
    pixels = good.index(b"\xc8" * 6144)
    start = data.draw(st.one_of(st.integers(0, pixels), st.integers(pixels + 6144, len(good))))
    removed, put_in = data.draw(st.integers(0, 4)), data.draw(st.binary(max_size=6))
    whole_or_refused(
        tmp_path_factory.getbasetemp() / "mangled", good[:start] + put_in + good[start + removed :]
    )


@settings(max_examples=150)
@given(st.binary(max_size=60))
@example(b"")
@example(b"\x80\x02.")
@example(b"\x80\x02(.")
@example(b"\x80\x02N.")
@example(b"\x80\x02]" + b"]" * 5_000 + b"a" * 5_000 + b".")
def test_no_bytes_at_all_give_another_exception(tmp_path_factory, blob):
    for start in (b"", b"\x80\x02}(U\x04data", b"\x80\x02"):
        path = tmp_path_factory.getbasetemp() / "any"
        path.write_bytes(start + blob)
        for read in (read_batch, read_meta):
            with pytest.raises(DamagedFile):
                read(path)


@pytest.mark.parametrize(
    "held, problem",
    [
        (b"", "the file is empty"),
        (b"<!DOCTYPE html><p>Not Found", "not a pickle"),
        (pickle.dumps({"data": 1}, 0), "not a pickle of protocol 2 or later"),
        ([1, 2], "must hold a dict, got list"),
        ({}, "data and labels missing"),
        ({b"data": b"x", b"fine": []}, "labels missing, keys are ['data', 'fine']"),
        (content(data=b"abc"), "data must be an array of uint8, got bytes"),
        (content(data=np.zeros((2, 3072), np.float32)), "uint8, got f4"),
        (content(data=np.zeros((2, 3, 32, 32), np.uint8)), "(N, 3072), got (2, 3, 32, 32)"),
        (content(data=np.zeros((3, 3072), np.uint8)), "disagree: 3 images, 2 labels, 2 filenames"),
        (content(filenames=[b"a"]), "disagree: 2 images, 2 labels, 1 filenames"),
        (content(labels=[3, 10]), "0..9, got 10 at position 1"),
        (content(labels=[3, True]), "0..9, got True"),
        (content(labels=[3, "cat"]), "0..9, got 'cat'"),
        (content(labels=b"\x03\x08"), "labels must be a list of ints, got bytes"),
        (content(filenames=[1, 2]), "filenames must be a list of strings"),
        (content(labels=[3, 2.5]), "asks for BINFLOAT"),
        (content(data=np.array([[None] * 3072] * 2)), "holds objects"),
        ({1: 2}, "keys must be strings"),
        # what a hostile file asks for
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.", "os.system"),
        (b"\x80\x02(U\x02idios\nsystem\n.", "INST"),
        (b"\x80\x02cnumpy.core.multiarray\nfromfile\n.", "numpy.core.multiarray.fromfile"),
        (b"\x80\x02cnumpy\nndarray\nJ\xff\xff\xff\x7f\x85R.", "a call, which was not made"),
        (
            b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00xX\x03\x00\x00\x00zip\x86R.",
            "a call, which was not made",
        ),
        (b"\x80\x02U\x01xQ.", "BINPERSID"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"\x80\x02cnumpy\nndarray\n)\x81.", "NEWOBJ"),
    ],
)
def test_each_kind_of_damage_is_named(path, held, problem):
    blob = held if isinstance(held, bytes) else pickle.dumps(held, 2)
    assert problem in error_of(path, blob)


def test_an_array_with_too_few_or_too_many_bytes_is_refused(path, good):
    header = b"T" + struct.pack("<i", 6144)
    for wrong in (6143, 6145, 0):
        other = b"T" + struct.pack("<i", wrong) + b"\xc8" * wrong
        blob = good.replace(header + b"\xc8" * 6144, other)
        assert f"needs 6144 bytes, got {wrong}" in error_of(path, blob)


def test_damaged_class_names_are_refused(path):
    for names, problem in (([b"cat"] * 9, "10 names, got 9"), (b"cat", "list of strings")):
        assert problem in error_of(path, pickle.dumps({b"label_names": names}, 2), read_meta)
    blob = pickle.dumps({b"num_vis": 3072}, 2)
    assert "need the key label_names" in error_of(path, blob, read_meta)


class Hostile:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    "function", [os.system, os.mkdir, eval, exec, getattr, np.load, np.array, bytearray]
)
def test_a_file_that_asks_for_a_call_is_refused_and_nothing_is_called(
    path, tmp_path, function, protocol
):
    made = tmp_path / "made"
    code = f"__import__('os').mkdir({str(made)!r})"
    argument = {os.mkdir: str(made), os.system: f"mkdir {made}"}.get(function, code)
    message = error_of(path, pickle.dumps(content(labels=Hostile(function, argument)), protocol))
    assert not made.exists()
    assert protocol < 2 or re.search("only arrays, strings, numbers,|not a pickle", message)


@pytest.mark.parametrize(
    "blob",
    [
        # a memo with two thousand million slots
        b"\x80\x02}r\xff\xff\xff\x7f.",
        # a string of 2 GB that is not there
        b"\x80\x02T\xff\xff\xff\x7fabc.",
        # a bytearray of 16 GB
        b"\x80\x05\x96\x00\x00\x00\x00\x04\x00\x00\x00.",
        # a frame of 16 GB
        b"\x80\x04\x95\x00\x00\x00\x00\x04\x00\x00\x00}.",
        # 2**60 leaves by reference
        b"\x80\x02"
        + b"]q\x00"
        + b"".join(b"](h%ch%ceq%c" % (n, n, n + 1) for n in range(60))
        + b".",
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nJ\xff\xff\xff\x7f\x85U\x01b\x87R.",
    ],
)
def test_a_few_bytes_cannot_reserve_gigabytes(path, blob):
    tracemalloc.start()
    try:
        error_of(path, blob)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 10_000_000
