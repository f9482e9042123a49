"""The writer writes the same bytes as Python 2, and the reader returns what was written."""

import base64
import io
import pickle
import pickletools
import warnings
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.datasets import cifar10, py2pickle

# Written by CPython 2.7.18's cPickle.dumps(content, 2), with the reduce tuples of NumPy 1's ndarray
# and dtype. Its content: two images whose pixel i is (7 i i + i // 3072) % 256, labels 0 and 1,
# filenames leptodactylus_s_000000.png and ..._000001.png.
WRITTEN_BY_PYTHON_2 = zlib.decompress(
    base64.b64decode(
        "eNrt2b9PGmEYB/D3RSuIttAfRtJAvM2bEIZGB4huml6KxvSiA+Q84ASS43gfOKIkEFla7KSbDhDddNNNB4h3k2666QDRTTfvJh0gtMWuXZ3eZ3iG5/tNPn/AU7aUALN8"
        "f1xURbDElHyaFLyxTFbypvOymhKzWbFgF7JSLKPk1Gw+ptqh76VlV+IvKfRz6Ae84XG0sggDLIc5yzc0/BOs/3pxtUAkO9h4S94PgxzicAXsizDEcn08LoZCoa/dP9Nb"
        "HFJhOPrrO3IhhKzuaXLUXtIm6/PGXngc3TdvDUdgTRstPpJudRadVzdIprijPQW2DKGZQAfhMeOyfqJdtyfImbuCKu4zMtG+1k7ql8ZY+AAlmoKxFXjSdooZslE9R7PV"
        "LnksjmprAYdx27xH4+E9Y74+qS21j8i020p96lOf+tSnPvWpT33qU//1fGzzzMBxZ1mfaiyY+xEWP7TuTGdwXXeVDEC1OXxRKwMp7erPwW1zpZXEhxHGvGqc6jcdH2ie"
        "Tbzp0cDXudFPG1cmEznEydaKuR181ndLBMq1CzxXQ2CUXPp60GnetR4wG9k3FxpT+nLnGGY8NupTn/rUpz71qU996lOf+q/nw1s1yg/IYlSSc/AuAg727+tA4oeiohpL"
        "Cr0AnPyImhVTSkpJML0742cyq8wXeM8PrqZkSRHTUg4+ROAjy3+WJaJm4mJMLcj5nJATfL3xEiUBn/6T+nvpiJT3/gZ2wtxX"
    )
)


PIXELS = np.array([(7 * i * i + i // 3072) % 256 for i in range(2 * 3072)], np.uint8)
NAMES = ["leptodactylus_s_000000.png", "leptodactylus_s_000001.png"]
PYTHON_2 = PIXELS.reshape(2, 3072), [0, 1], NAMES
BATCH = cifar10.batch(*PYTHON_2, "training batch 1 of 5")


def dumps(content) -> bytes:
    file = io.BytesIO()
    py2pickle.dump(content, file)
    return file.getvalue()


def load_as_anyone_would(blob: bytes) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy 2 warns about the name numpy.core
        return pickle.loads(blob, encoding="bytes")


@st.composite
def batches(draw):
    labels = draw(st.lists(st.integers(0, 9), max_size=9))
    noise = np.random.default_rng(draw(st.integers(0, 2**32)))
    data = noise.integers(0, 256, (len(labels), 3072), dtype=np.uint8)
    name = st.text(st.characters(codec="utf-8"), max_size=300)
    return data, labels, draw(st.lists(name, min_size=len(labels), max_size=len(labels)))


@settings(max_examples=30)
@given(batches(), st.text(st.characters(codec="utf-8"), max_size=20))
def test_reading_gives_back_what_was_written_and_pythons_own_unpickler_reads_the_same(
    tmp_path_factory, content, batch_label
):
    data, labels, names = content
    path = tmp_path_factory.mktemp("batch") / "data_batch_1"
    cifar10.write_batch(path, data, labels, names, batch_label)
    batch = cifar10.read_batch(path)
    assert np.array_equal(batch["data"], data) and batch["data"].shape == (len(labels), 3072)
    assert batch["data"].dtype == np.uint8 and batch["labels"].dtype == np.int64
    assert batch["labels"].tolist() == labels and batch["filenames"] == names
    loaded = load_as_anyone_would(path.read_bytes())
    assert list(loaded) == [b"batch_label", b"labels", b"data", b"filenames"]
    assert loaded[b"batch_label"] == batch_label.encode() and loaded[b"labels"] == labels
    assert np.array_equal(loaded[b"data"], data) and loaded[b"data"].dtype == np.uint8
    assert loaded[b"filenames"] == [name.encode() for name in names]


def test_the_bytes_are_those_of_python_2s_cpickle_without_its_memo():
    keys = (b"data", b"labels", b"batch_label", b"filenames")  # in Python 2's order
    assert dumps({key: BATCH[key] for key in keys}) == pickletools.optimize(WRITTEN_BY_PYTHON_2)


BLOBS = [
    WRITTEN_BY_PYTHON_2,
    WRITTEN_BY_PYTHON_2.replace(b"numpy.core.multiarray", b"numpy._core.multiarray"),
    *(pickle.dumps(BATCH, protocol) for protocol in (2, 3, 4, 5)),
    pickle.dumps({**BATCH, b"data": np.asfortranarray(PYTHON_2[0])}, 5),
]


@pytest.mark.parametrize("blob", BLOBS)
def test_a_file_written_by_any_python_is_read_into_an_array_of_the_readers_own(tmp_path, blob):
    (tmp_path / "data_batch_1").write_bytes(blob)
    batch = cifar10.read_batch(tmp_path / "data_batch_1")
    data, labels, names = PYTHON_2
    assert np.array_equal(batch["data"], data) and batch["labels"].tolist() == labels
    assert batch["filenames"] == names
    assert batch["data"].flags.owndata and batch["data"].flags.c_contiguous
    assert batch["data"].flags.writeable


def test_a_file_cannot_change_what_a_name_means_in_the_next_file():
    with pytest.raises(py2pickle.Py2PickleError, match="a name has no state"):
        py2pickle.load(b"\x80\x02cnumpy\ndtype\n}U\x04makeK\x01sb.")
    assert py2pickle.load(WRITTEN_BY_PYTHON_2)[b"data"].dtype == "u1"


@pytest.mark.parametrize(
    "data, label, rule",
    [
        (np.zeros((1, 3, 32, 32), np.float32), 0, "uint8"),
        (np.zeros((1, 32, 32, 3), np.uint8), 0, "3, 32, 32"),
        (np.zeros((2, 3072), np.uint8), 0, "counts must agree"),
        (np.zeros((1, 3072), np.uint8), 10, "0..9"),
    ],
)
def test_the_writer_refuses_what_the_reader_would(tmp_path, data, label, rule):
    with pytest.raises(ValueError, match=rule):
        cifar10.write_batch(tmp_path / "b", data, [label], ["a"])
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_breaks_off_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "data_batch_1"
    path.write_bytes(b"old")

    def full_disk(content, file):
        file.write(b"\x80\x02}")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cifar10, "dump", full_disk)
    with pytest.raises(OSError, match="No space left"):
        cifar10.write_batch(path, np.zeros((1, 3072), np.uint8), [0])
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_locate_finds_the_folder_or_says_what_is_missing_and_how_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder") as caught:
        cifar10.locate(tmp_path)
    for remedy in ("fetch_cifar10", "by hand", "cifar-10-python.tar.gz", "write_digits_as_cifar10"):
        assert remedy in str(caught.value)
    folder = tmp_path / cifar10.FOLDER
    folder.mkdir()
    (folder / "test_batch").touch()
    with pytest.raises(cifar10.MissingData, match=r"lacks data_batch_1, .*batches.meta"):
        cifar10.locate(tmp_path)
    for name in cifar10.ALL_FILES:
        (folder / name).touch()
    assert [cifar10.locate(root) for root in (tmp_path, folder, str(tmp_path))] == [folder] * 3
