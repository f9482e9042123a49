"""Rows of arrays and files, a batch at a time."""

import mmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core import gather
from tinytorch.core.gather import rows

LAW = settings(max_examples=100)


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


@pytest.fixture
def file(tmp_path):
    images = np.arange(40 * 12, dtype=np.uint16).reshape(40, 3, 4)
    np.save(tmp_path / "images.npy", images)
    np.save(tmp_path / "labels.npy", np.arange(40))
    return tmp_path / "images.npy", tmp_path / "labels.npy", images


@LAW
@given(count=st.integers(0, 12), data=st.data(), dtype=st.sampled_from(["uint8", "float32"]))
def test_rows_are_the_rows_in_the_order_of_the_indices(count, data, dtype):
    array = np.random.default_rng(0).integers(0, 99, (count, 2, 3)).astype(dtype)
    some = st.lists(st.integers(0, count - 1), max_size=20) if count else st.just([])
    runs = st.tuples(st.integers(0, count), st.integers(0, count)).map(
        lambda pair: list(range(min(pair), max(pair)))
    )
    indices = np.array(data.draw(st.one_of(some, runs)), np.int64)
    got = rows(array, indices)
    np.testing.assert_array_equal(got, array[indices])
    assert (
        got.dtype == array.dtype
        and got.shape == (len(indices), 2, 3)
        and not np.shares_memory(got, array)
    )


@pytest.mark.parametrize("indices", [[-1], [0, 5], [3, -2, 1], [4, 5], [2**62]])
def test_an_index_outside_is_named(indices):
    bad = next(index for index in indices if not 0 <= index < 5)
    with pytest.raises(IndexError, match=f"Index {bad} out of range for dataset of size 5"):
        rows(np.zeros((5, 2)), np.array(indices))


def test_rows_of_a_memory_map_are_plain_arrays_in_memory(file):
    images = np.load(file[0], mmap_mode="r")
    for indices in ([3, 1, 1], [4, 5, 6]):
        got = rows(images, np.array(indices))
        assert type(got) is np.ndarray and got.flags.owndata
        np.testing.assert_array_equal(got, file[2][indices])


class Counting:
    """A map that counts how often its pages are given back."""

    def __init__(self, real):
        self.real, self.calls = real, 0

    def madvise(self, advice):
        assert advice == mmap.MADV_DONTNEED
        self.calls += 1
        self.real.madvise(advice)


def no_proc(*args, **kwargs):
    raise FileNotFoundError


@pytest.mark.skipif(
    not hasattr(mmap, "MADV_DONTNEED"), reason="this system cannot give mapped pages back"
)
@pytest.mark.parametrize(
    "limit, mapped, wanted", [(1000, 10**9, 0), (900, 901, 3), (900, 900, 0), (900, None, 3)]
)
def test_pages_of_a_large_file_are_let_go_when_many_are_resident(
    file, monkeypatch, limit, mapped, wanted
):
    monkeypatch.setattr(gather, "MAPPED_BYTES", limit)  # the file has 960 bytes of pixels
    if mapped is None:
        monkeypatch.setattr(gather, "open", no_proc, raising=False)
    else:
        monkeypatch.setattr(gather, "mapped_bytes", lambda: mapped)
    images = np.load(file[0], mmap_mode="r")
    counting = images._mmap = Counting(images._mmap)
    for _ in range(3):
        np.testing.assert_array_equal(rows(images, np.array([7, 2])), file[2][[7, 2]])
    assert counting.calls == wanted


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="no /proc: resident pages are not known here"
)
def test_resident_pages_of_files_are_counted(tmp_path):
    np.save(tmp_path / "large.npy", np.ones(8 * 2**20, np.uint8))
    images, before = np.load(tmp_path / "large.npy", mmap_mode="r"), gather.mapped_bytes()
    images.sum()
    assert gather.mapped_bytes() - before >= 7 * 2**20
    images._mmap.madvise(mmap.MADV_DONTNEED)
    assert gather.mapped_bytes() - before < 2**20


def test_a_map_that_can_be_written_keeps_its_pages(file, monkeypatch):
    monkeypatch.setattr(gather, "MAPPED_BYTES", 0)
    # copy-on-write: releasing pages would lose what was written
    images = np.load(file[0], mmap_mode="c")
    images[2] = 7
    rows(images, np.array([2]))
    assert (rows(images, np.array([2])) == 7).all()


def test_datasets_gather_where_no_transform_wants_single_samples(dl, file):
    for transform in (None, lambda image: image):
        dataset = dl.MemmapDataset(*file[:2], transform=transform)
        for one in (dataset, dl.Subset(dataset, [1])):
            assert hasattr(one, "__getitems__") == (transform is None)
    with pytest.raises(AttributeError, match="this MemmapDataset reads sample by sample"):
        _ = dataset.__getitems__


class Single:
    """A dataset without its gather."""

    def __init__(self, inner):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, index):
        return self.inner[index]


@LAW
@given(
    batch_size=st.integers(1, 9),
    shuffle=st.booleans(),
    seed=st.integers(0, 99),
    chosen=st.lists(st.integers(0, 39), max_size=30),
)
def test_a_gathered_epoch_is_the_epoch_sample_by_sample(
    dl, tmp_path_factory, batch_size, shuffle, seed, chosen
):
    folder = tmp_path_factory.getbasetemp()
    images = np.arange(40 * 6, dtype=np.uint8).reshape(40, 2, 3)
    np.save(folder / "x.npy", images)
    np.save(folder / "y.npy", np.arange(40))
    whole = dl.MemmapDataset(folder / "x.npy", folder / "y.npy")

    for dataset in (
        whole,
        dl.Subset(whole, chosen),
        dl.Subset(dl.Subset(whole, range(40)), chosen),
        dl.ConcatDataset([dl.Subset(whole, chosen), whole, dl.Subset(whole, [])]),
        dl.Subset(dl.ConcatDataset([dl.Subset(whole, chosen), whole]), chosen),
    ):
        fast, slow = (
            dl.DataLoader(one, batch_size, shuffle, seed=seed) for one in (dataset, Single(dataset))
        )
        for (x, y), (want_x, want_y) in zip(fast, slow, strict=True):
            np.testing.assert_array_equal(x.data, want_x.data)
            np.testing.assert_array_equal(y.data, want_y.data)
            assert (x.dtype, y.dtype) == (want_x.dtype, want_y.dtype)


def test_a_position_outside_is_refused(dl):
    subset = dl.Subset(dl.TensorDataset(np.arange(10)), [4, 1])
    chain = dl.ConcatDataset([dl.TensorDataset(np.arange(3)), dl.TensorDataset(np.arange(2))])
    for dataset, index in ((subset, -1), (subset, 2), (chain, -1), (chain, 5)):
        says = f"Index {index} out of range for dataset of size {len(dataset)}"
        with pytest.raises(IndexError, match=says):
            dataset.__getitems__(np.array([0, index]))


@pytest.mark.parametrize(
    "one, other",
    [
        (np.arange(3, dtype=np.uint8), np.array([0.5, 1.5])),  # another dtype: as in a stack
        (np.zeros((3, 2)), np.zeros((2, 3))),  # another shape: collate says so
    ],
)
def test_parts_of_a_concatenation_that_differ_are_joined_as_they_are_stacked(dl, one, other):
    chain = dl.ConcatDataset([dl.TensorDataset(one), dl.TensorDataset(other)])
    results = []
    for collate_fn in (None, dl.collate):  # with a collate_fn, the samples are read one by one
        try:
            (batch,) = dl.DataLoader(chain, 5, collate_fn=collate_fn)
            results.append((str(batch[0].dtype), batch[0].data.tolist()))
        except ValueError as problem:
            results.append(str(problem))
    assert results[0] == results[1]


def test_indices_are_one_array_of_int64_and_give_python_ints(dl):
    for given_ in ([4, 1], np.array([4, 1], np.int8), range(4, 0, -3), iter([4, 1]), (4.0, 1.0)):
        indices = dl.Subset("abcdef", given_).indices
        assert [type(index) for index in indices] == [int, int] and list(indices) == [4, 1]
        view = np.asarray(indices, np.int64)
        assert view.nbytes == 16 and not view.flags.owndata
