"""Hidden: laws of DataLoader on inputs that are drawn anew each run (`draw`). The samples are
numbers, and a collate_fn of the test makes lists of them.
"""

import itertools

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


class Counting:
    """A dataset with `len` and `[]` and nothing else: sample i is 3 i, and it never ends the
    loop by itself.
    """

    def __init__(self, num_samples):
        self.num_samples, self.reads = num_samples, []

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.reads.append(int(index))
        return 3 * int(index)


def loader_of(tt, dataset, **settings):
    """A loader whose batches are plain lists of samples."""
    return tt.DataLoader(dataset, collate_fn=lambda samples: list(samples), **settings)


def sizes_of(draw, count, least=3, most=40):
    """(number of samples, batch size); there is a full batch, and the last one is short."""
    found = []
    for n in draw.integers(least, most, count).tolist():
        found.append((n, int(draw.choice([b for b in range(2, min(n, 12)) if n % b]))))
    return found


@pytest.mark.contract("test_loader_init")
def test_what_is_no_positive_integer_is_no_batch_size(tt, draw):
    dataset = Counting(5)
    for bad in (
        0,
        -int(draw.integers(1, 99)),
        False,
        True,
        3.0,
        float("nan"),
        float(draw.uniform(0.1, 9)),
        np.float32(2),
        np.True_,
        None,
        "4",
    ):
        expect_raises(
            ValueError,
            lambda: tt.DataLoader(dataset, batch_size=bad),
            "A `batch_size` that is not an integer of 1 or more raises `ValueError` with the"
            " word `batch_size` and the value: 0, -3, `True`, 2.5, `None`.",
            says=["batch_size", str(bad)],
            call=f"DataLoader(dataset, batch_size={bad!r})",
            look="isinstance(True, int) is True; 3.0 is not an integer",
        )
    expect(
        dataset.reads == [],
        "Making a loader stores the settings, or their defaults, under their names and reads no"
        " sample.",
        call="DataLoader(dataset, batch_size=bad), for bad sizes",
        got=f"{len(dataset.reads)} reads",
        want="0 reads",
    )


@pytest.mark.contract("test_loader_init")
def test_every_kind_of_integer_is_a_batch_size(tt, draw):
    for kind in (int, np.int64, np.int32, np.uint8):
        good = kind(draw.integers(1, 200))
        got = tt.DataLoader([0], batch_size=good).batch_size
        expect(
            got == good,
            "Every integer of 1 or more is accepted, including NumPy integers and integers"
            " above N.",
            call=f"DataLoader(1 sample, batch_size={good!r}).batch_size",
            got=got,
            want=good,
        )


@pytest.mark.contract("test_loader_len")
def test_the_length_is_the_number_of_pieces(tt, draw):
    for n, size in sizes_of(draw, 12):
        got = len(tt.DataLoader(Counting(n), batch_size=size))
        expect(
            got == n // size + 1,
            "`len(loader)` is N / batch_size, rounded up: a short last batch counts.",
            call=f"len(DataLoader({n} samples, batch_size={size}))",
            got=got,
            want=n // size + 1,
            look="when nothing is left over, up and down agree",
        )
        got = len(tt.DataLoader(Counting(n), batch_size=size, drop_last=True))
        expect(
            got == n // size,
            "With `drop_last` it is rounded down: a short last batch does not count.",
            call=f"len(DataLoader({n} samples, batch_size={size}, drop_last=True))",
            got=got,
            want=n // size,
            look="when nothing is left over, up and down agree",
        )
    size = int(draw.integers(2**50, 2**57))
    got = len(tt.DataLoader(Counting(5 * size + 1), batch_size=size))
    expect(
        got == 6,
        "`len(loader)` is exact for any N, such as 2**60 + 1: it needs no float and no loop"
        " over samples.",
        call=f"len(DataLoader({5 * size + 1} samples, batch_size={size}))",
        got=got,
        want=6,
        look="// and % are exact; / gives a float",
    )


@pytest.mark.contract("test_loader_len")
def test_even_datasets_have_no_short_batch(tt, draw):
    for size, count in draw.integers(1, 12, (4, 2)).tolist():
        for drop_last in (False, True):
            got = len(tt.DataLoader(Counting(size * count), size, drop_last=drop_last))
            expect(
                got == count,
                "With `drop_last` it is rounded down: a short last batch does not count.",
                call=f"len(DataLoader({size * count} samples, {size}, drop_last={drop_last}))",
                got=got,
                want=count,
                look="is something left over?",
            )


@pytest.mark.contract("test_loader_batches")
def test_every_sample_comes_once(tt, draw):
    for n, b in sizes_of(draw, 4, most=24):
        batches = list(loader_of(tt, Counting(n), batch_size=b))
        expect(
            [len(batch) for batch in batches] == [b] * (n // b) + [n % b],
            "A short last piece comes too, unless `drop_last`.",
            call=f"DataLoader({n} samples, batch_size={b})",
            got=[len(batch) for batch in batches],
            want=[b] * (n // b) + [n % b],
            look="what is left over forms a smaller last batch",
        )
        flat = sum(batches, [])
        expect(
            len(set(flat)) == len(flat) == n,
            "`epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces of `batch_size`;"
            " each gives a batch.",
            call=f"DataLoader({n} samples, batch_size={b})",
            got=f"{len(set(flat))} different of {len(flat)}",
            want=f"{n} different of {n}",
            look="where does each piece of the order begin and end?",
        )
        batches = list(loader_of(tt, Counting(n), batch_size=b, drop_last=True))
        expect(
            [len(batch) for batch in batches] == [b] * (n // b),
            "`drop_last` leaves out a short last piece, never a full one.",
            call=f"DataLoader({n} samples, batch_size={b}, drop_last=True)",
            got=[len(batch) for batch in batches],
            want=[b] * (n // b),
            look="which piece is shorter than batch_size?",
        )


@pytest.mark.contract("test_loader_batches")
def test_a_batch_holds_the_samples_it_read_and_no_others_are_read(tt, draw):
    ((n, b),) = sizes_of(draw, 1)
    dataset = Counting(n)
    batches = iter(loader_of(tt, dataset, batch_size=b))
    expect(
        dataset.reads == [],
        "A batch reads only its own samples, each once, and only when you ask for the batch.",
        call="iter(loader)",
        got=f"{len(dataset.reads)} reads",
        want="0 reads",
    )
    for k, batch in enumerate(batches):
        expect(
            len(dataset.reads) == min(n, (k + 1) * b),
            "A batch reads only its own samples, each once, and only when you ask for the batch.",
            call=f"batch {k} of {n} samples, batch_size={b}",
            got=f"{len(dataset.reads)} reads",
            want=f"{min(n, (k + 1) * b)} reads",
            look="is a list of all samples or all batches built first?",
        )
        want = [3 * i for i in dataset.reads[k * b :]]
        expect(
            batch == want,
            "`self._load(piece, key)` is called once a batch; its result is yielded unchanged.",
            call=f"batch {k}",
            got=batch,
            want=want,
        )
    got = sorted(dataset.reads)
    expect(
        got == list(range(n)),
        "A batch reads only its own samples, each once, and only when you ask for the batch.",
        call=f"an epoch of {n} samples, batch_size={b}",
        got=got,
        want=f"0..{n - 1}",
    )


@pytest.mark.contract("test_loader_batches")
def test_a_loop_inside_a_loop_sees_everything(tt, draw):
    n, b = int(draw.integers(10, 30)), int(draw.integers(2, 5))
    loader = loader_of(tt, list(range(n)), batch_size=b)
    seen = []
    for k, batch in enumerate(loader):
        seen += batch
        if k == 1:
            inner = sorted(sum(loader, []))
            expect(
                inner == list(range(n)),
                "Two loops over one loader do not disturb each other.",
                call="for batch in loader: for other in loader: ...",
                got=inner,
                want=f"0..{n - 1} once each",
                look="what is kept in self between two batches?",
            )
    expect(
        sorted(seen) == list(range(n)),
        "Two loops over one loader do not disturb each other.",
        call="the outer loop",
        got=sorted(seen),
        want=f"0..{n - 1} once each",
        look="what is kept in self between two batches?",
    )


@pytest.mark.contract("test_loader_batches")
def test_the_pieces_of_a_shuffled_order_are_the_batches(tt, draw):
    # Two orders of 20 agree by chance once in 10^18.
    ((n, b),), seed = sizes_of(draw, 1, least=20), int(draw.integers(1000))
    loader = loader_of(tt, list(range(n)), batch_size=b, shuffle=True, seed=seed)
    for epoch in range(3):
        order = np.asarray(tt.epoch_order(n, shuffle=True, seed=seed, epoch=epoch)).tolist()
        got, want = list(loader), [order[start : start + b] for start in range(0, n, b)]
        expect(
            len(sum(got, [])) == n and got == want,
            "`epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces of `batch_size`;"
            " each gives a batch.",
            call=f"epoch {epoch} of {n} samples, batch_size={b}, seed={seed}",
            got=got,
            want=want,
            look="the N, the seed and the epoch that epoch_order is given",
        )


@pytest.mark.contract("test_loader_batches")
def test_empty_datasets_give_nothing_with_every_setting(tt):
    for drop_last, prefetch in itertools.product((False, True), (0, 1)):
        settings = {"drop_last": drop_last, "prefetch": prefetch}
        for samples in ([5, 6, 7], []):
            got = [sorted(batch) for batch in loader_of(tt, samples, batch_size=3, **settings)]
            expect(
                got == ([samples] if samples else []),
                "An empty dataset gives no batch.",
                call=f"DataLoader({samples}, batch_size=3, **{settings})",
                got=got,
                want=[samples] if samples else [],
            )


class Drawing:
    """Samples that are their number and the first random number of their transform."""

    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        return int(index), 0.0

    def sample_with(self, index, rng):
        return int(index), float(rng.random())


@pytest.mark.contract("test_loader_batches")
def test_the_random_numbers_of_a_sample_belong_to_seed_epoch_and_sample(tt, draw):
    ((n, b),), seed = sizes_of(draw, 1, least=5, most=12), int(draw.integers(1000))
    loader = loader_of(tt, Drawing(n), batch_size=b, seed=seed)
    for epoch in range(2):
        got = dict(sum(loader, []))
        want = {i: EpochKey.of(seed, epoch).generator(i).random() for i in range(n)}
        expect(
            got == want,
            "`key` is passed on as it was given: a sample's random numbers depend on it.",
            call=f"epoch {epoch} of {n} samples, batch_size={b}, seed={seed}",
            got=got,
            want=want,
            look="pass `key` on to self._load, and change nothing above the TODO",
        )


@pytest.mark.contract("test_loader_batches")
def test_an_error_of_the_dataset_reaches_the_reader(tt):
    class Broken(Counting):
        def __getitem__(self, index):
            if index == 4:
                raise IndexError("file 4 is broken")
            return index

    expect_raises(
        IndexError,
        lambda: list(loader_of(tt, Broken(6), batch_size=2)),
        "An error from the dataset, `collate_fn` or `batch_transform` reaches the caller"
        " unchanged, and the call is not repeated.",
        says="file 4 is broken",
        call="list(DataLoader(a dataset whose sample 4 is broken))",
        look="is there a try around the read?",
    )


@pytest.mark.contract("test_loader_batches")
def test_tensors_stay_aligned_in_every_batch(tt, draw):
    ((n, b),) = sizes_of(draw, 1, least=8, most=20)
    x = draw.permutation(1000)[:n]

    def columns(samples):
        return tuple(
            [float(part.data if isinstance(part, Tensor) else part) for part in column]
            for column in zip(*samples, strict=True)
        )

    loader = tt.DataLoader(
        tt.TensorDataset(Tensor(x), Tensor(x * 2.0)),
        batch_size=b,
        shuffle=True,
        seed=int(draw.integers(99)),
        collate_fn=columns,
    )
    count = 0
    for first, second in loader:
        second = np.asarray(second.data if isinstance(second, Tensor) else second).tolist()
        expect(
            second == [2 * value for value in first],
            "`self._load(piece, key)` is called once a batch; its result is yielded unchanged.",
            call="for x, y in DataLoader(TensorDataset(x, 2 x), shuffle=True)",
            got=[first, second],
            want="row k of each from one sample",
        )
        count += len(first)
    expect(
        count == n,
        "`epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces of `batch_size`;"
        " each gives a batch.",
        call=f"DataLoader({n} rows, batch_size={b}, shuffle=True)",
        got=f"{count} rows",
        want=f"{n} rows",
    )


@pytest.mark.contract("test_loader_batches")
def test_reading_ahead_changes_nothing_but_the_time(tt, draw):
    ((n, b),) = sizes_of(draw, 1)
    plain, ahead = (
        [sorted(batch) for batch in loader_of(tt, list(range(n)), batch_size=b, prefetch=depth)]
        for depth in (0, 2)
    )
    expect(
        [len(batch) for batch in plain] == [len(batch) for batch in ahead]
        and sorted(sum(plain, [])) == sorted(sum(ahead, [])) == list(range(n)),
        "`self._load(piece, key)` is called once a batch; its result is yielded unchanged.",
        call=f"prefetch=2 against prefetch=0, {n} samples",
        got=ahead,
        want=plain,
    )
