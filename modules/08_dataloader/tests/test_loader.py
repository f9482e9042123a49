"""Promises of DataLoader. `tt` is your exported package. The samples are numbers, and
`collate_fn` makes plain lists of them.
"""

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises


def loader_of(tt, dataset, **settings):
    """A loader whose batches are plain lists of samples."""
    return tt.DataLoader(dataset, collate_fn=lambda samples: list(samples), **settings)


def shown(problem):
    """An error as text."""
    words = str(problem).strip("'\"")
    return f"{type(problem).__name__}: {words}"


@pytest.mark.contract("test_loader_init")
def test_a_bad_batch_size_is_refused_at_once(tt):
    for bad in (0, -3, True, False, 2.5, 2.0, None):
        expect_raises(
            ValueError,
            lambda: tt.DataLoader([1, 2, 3], batch_size=bad),
            "A `batch_size` that is not an integer of 1 or more raises `ValueError`"
            " with the word `batch_size` and the value: 0, -3, `True`, 2.5, `None`.",
            says=["batch_size", str(bad)],
            call=f"DataLoader([1, 2, 3], batch_size={bad})",
            look="raise ValueError(...): for 0 and below, for bool (a kind of int),"
            " and for"
            " what is no integer",
        )


@pytest.mark.contract("test_loader_init")
def test_every_integer_of_1_or_more_is_a_batch_size(tt):
    for dataset, good in (
        ([1, 2, 3], 1),
        ([1, 2, 3], 3),
        ([1, 2, 3], 7),
        ([1, 2, 3], np.int64(2)),
        ([], 4),
    ):
        got = tt.DataLoader(dataset, batch_size=good).batch_size
        expect(
            got == good,
            "Every integer of 1 or more is accepted, including NumPy integers and"
            " integers above N.",
            call=f"DataLoader({dataset}, batch_size={good!r}).batch_size",
            got=got,
            want=good,
            look="which of your checks refuses it? isinstance(x, (int, np.integer))",
        )


@pytest.mark.contract("test_loader_init")
def test_a_dataset_without_a_length_is_refused_at_once(tt):
    got = tt.DataLoader([1, 2, 3], batch_size=2).batch_size
    expect(
        got == 2,
        "Every integer of 1 or more is accepted, including NumPy integers and"
        " integers above N.",
        call="DataLoader([1, 2, 3], batch_size=2).batch_size",
        got=got,
        want=2,
        look="which of your checks refuses it?",
    )
    for nothing, what in ((None, "None"), (iter([1, 2]), "an iterator"), (3, "3")):
        expect_raises(
            TypeError,
            lambda: tt.DataLoader(nothing),
            "A dataset without a length raises `TypeError`: `DataLoader(None)`.",
            call=f"DataLoader({what})",
            look="has the dataset a length? raise TypeError(...) before a loader is"
            " made",
        )


@pytest.mark.contract("test_loader_init")
def test_a_loader_keeps_its_settings(tt):
    defaults = {
        "batch_size": 32,
        "shuffle": False,
        "drop_last": False,
        "seed": None,
        "collate_fn": None,
        "prefetch": 0,
        "batch_transform": None,
    }
    others = {
        "batch_size": 2,
        "shuffle": True,
        "drop_last": True,
        "seed": 0,
        "collate_fn": list,
        "prefetch": 1,
        "batch_transform": tuple,
    }
    log = ReadLog("abc")
    for loader, call, settings in (
        (tt.DataLoader(log), "DataLoader(dataset)", defaults),
        (
            tt.DataLoader(log, **others),
            "DataLoader(dataset, batch_size=2, ...)",
            others,
        ),
    ):
        for name, want in {"dataset": log, **settings, "epoch": 0}.items():
            got = getattr(loader, name, "no such attribute")
            expect(
                got is want or got == want,
                "Making a loader stores the settings, or their defaults, under their"
                " names and reads no sample.",
                call=f"{call}.{name}",
                got=str(got),
                want=str(want),
                look=(
                    "the given lines below the TODO store it: are they unchanged,"
                    " and do they run?"
                ),
            )
    expect(
        log.reads == [],
        "Making a loader stores the settings, or their defaults, under their names"
        " and reads no sample.",
        call="DataLoader(dataset)",
        got=f"samples {log.reads} were read",
        want="none",
        look="len(dataset) reads no sample",
    )


def length_or_error(tt, dataset, size, drop_last):
    loader = tt.DataLoader(dataset, batch_size=size, drop_last=drop_last)
    try:
        return len(loader)
    except (TypeError, OverflowError) as problem:
        # Python refuses a length that is no int, such as 3.0
        return f"{type(problem).__name__}: {problem}"


class Counted:
    """A dataset that only has a length."""

    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __len__(self):
        return self.num_samples


@pytest.mark.contract("test_loader_len")
def test_a_short_last_batch_is_counted(tt):
    for n, size, want in (
        (10, 4, 3),
        (8, 4, 2),
        (9, 1, 9),
        (5, 3, 2),
        (0, 4, 0),
        (1, 4, 1),
        (3, 4, 1),
        (4, 4, 1),
    ):
        got = length_or_error(tt, [0] * n, size, drop_last=False)
        expect(
            got == want,
            "`len(loader)` is N / batch_size, rounded up: a short last batch counts.",
            call=f"len(DataLoader({n} samples, batch_size={size}))",
            got=got,
            want=want,
            look=f"{n // size} full batches and {n % size} samples left over: which of"
            " them count?",
        )


@pytest.mark.contract("test_loader_len")
def test_drop_last_does_not_count_the_short_batch(tt):
    for n, size, want in (
        (10, 4, 2),
        (8, 4, 2),
        (9, 1, 9),
        (5, 3, 1),
        (0, 4, 0),
        (1, 4, 0),
        (3, 4, 0),
        (4, 4, 1),
    ):
        got = length_or_error(tt, [0] * n, size, drop_last=True)
        expect(
            got == want,
            "With `drop_last` it is rounded down: a short last batch does not count.",
            call=f"len(DataLoader({n} samples, batch_size={size}, drop_last=True))",
            got=got,
            want=want,
            look=f"{n // size} full batches and {n % size} samples left over: which of"
            " them count?",
        )


@pytest.mark.contract("test_loader_len")
def test_the_length_is_exact_for_any_number_of_samples(tt):
    # the nearest float to 2**60 + 1 is 2**60
    for n, drop_last, want in (
        (2**60 + 1, False, 9),
        (2**60 - 1, False, 8),
        (2**60 + 1, True, 8),
        (2**60 - 1, True, 7),
    ):
        got = length_or_error(tt, Counted(n), 2**57, drop_last)
        expect(
            got == want,
            "`len(loader)` is exact for any N, such as 2**60 + 1: it needs no float"
            " and no loop over samples.",
            call=f"len(DataLoader(of {n} samples, batch_size=2**57,"
            f" drop_last={drop_last}))",
            got=got,
            want=want,
            look="// and % are exact, / and math.ceil(N / size) go through a float: is"
            " there"
            " one?",
        )


@pytest.mark.contract("test_loader_len")
def test_the_length_reads_no_sample(tt):
    log = ReadLog(range(10))
    got = [length_or_error(tt, log, 4, drop_last) for drop_last in (False, True)]
    expect(
        got[0] == 3,
        "`len(loader)` is N / batch_size, rounded up: a short last batch counts.",
        call="len(DataLoader(10 samples, batch_size=4))",
        got=got[0],
        want=3,
        look="2 full batches and 2 samples left over: which of them count?",
    )
    expect(
        log.reads == [],
        "It reads no sample.",
        call="len(DataLoader(dataset, batch_size=4)), also with drop_last",
        got=f"samples {log.reads} were read",
        want="none",
        look="compute the number; do not count batches",
    )


@pytest.mark.contract("test_loader_len")
def test_what_the_len_of_the_dataset_raises_reaches_the_caller(tt):
    got = length_or_error(tt, [0] * 10, 4, drop_last=False)
    expect(
        got == 3,
        "`len(loader)` is N / batch_size, rounded up: a short last batch counts.",
        call="len(DataLoader(10 samples, batch_size=4))",
        got=got,
        want=3,
        look="2 full batches and 2 samples left over: which of them count?",
    )
    asked = []

    class Broken:
        def __len__(self):
            asked.append("len")
            raise problem

    for problem in (OSError("disk 3 is gone"), KeyError("files"), ValueError("N is 0")):
        asked.clear()
        try:
            got = f"no error, but {len(tt.DataLoader(Broken()))}"
        except Exception as reached:  # noqa: BLE001 - any error may be the wrong one
            got = shown(reached)
        expect(
            got == shown(problem) and len(asked) == 1,
            "An error from the dataset's `len` reaches the caller unchanged; `len`"
            " is called once.",
            call=f"len(DataLoader(a dataset whose len raises {shown(problem)}))",
            got=f"{got} after {len(asked)} calls",
            want=f"{shown(problem)} after 1 calls",
            look="is there a try around len(dataset)? is it asked again?",
        )


@pytest.mark.contract("test_loader_batches")
def test_the_last_batch_is_shorter(tt):
    for n, size, want in (
        (10, 4, [4, 4, 2]),
        (9, 4, [4, 4, 1]),
        (8, 4, [4, 4]),
        (3, 4, [3]),
    ):
        got = list(loader_of(tt, list(range(n)), batch_size=size))
        expect(
            [len(batch) for batch in got] == want
            and sorted(sum(got, [])) == list(range(n)),
            "A short last piece comes too, unless `drop_last`.",
            call=f"list(DataLoader(range({n}), batch_size={size}))",
            got=got,
            want=f"batches of {want} of the samples 0..{n - 1}",
            look=f"{n // size} full pieces of the order and {n % size} samples left"
            " over:"
            " where does each piece start and end?",
        )


@pytest.mark.contract("test_loader_batches")
def test_drop_last_leaves_the_short_batch_out(tt):
    for n, size, want in (
        (10, 4, [4, 4]),
        (8, 4, [4, 4]),
        (3, 4, []),
        (4, 4, [4]),
        (2, 1, [1, 1]),
    ):
        batches = loader_of(tt, list(range(n)), batch_size=size, drop_last=True)
        got = [len(batch) for batch in batches]
        expect(
            got == want,
            "`drop_last` leaves out a short last piece, never a full one.",
            call=f"list(DataLoader(range({n}), batch_size={size}, drop_last=True))",
            got=f"batches of {got} samples",
            want=f"batches of {want} samples",
            look=f"{n} % {size} is {n % size}: does your code leave out so many"
            " samples,"
            " and no more?",
        )


@pytest.mark.contract("test_loader_batches")
def test_nothing_is_read_before_its_batch_is_asked_for(tt):
    for drop_last in (False, True):
        log = ReadLog(range(10))
        batches = iter(loader_of(tt, log, batch_size=4, drop_last=drop_last))
        expect(
            log.reads == [],
            "A batch reads only its own samples, each once, and only when you ask"
            " for the batch.",
            call=f"iter(DataLoader(dataset, batch_size=4, drop_last={drop_last}))",
            got=f"samples {log.reads} were read",
            want="none",
            look="is there a yield in _batches, and what happens before the first?",
        )
        for count in (4, 8) if drop_last else (4, 8, 10):
            next(batches)
            expect(
                len(log.reads) == len(set(log.reads)) == count,
                "A batch reads only its own samples, each once, and only when you"
                " ask for the batch.",
                call=f"next(batches), drop_last={drop_last}",
                got=f"samples {log.reads} were read so far",
                want=f"{count} different samples were read so far",
                look="is this piece of the order loaded, once, and nothing besides it?",
            )
        rest = list(batches)
        expect(
            len(log.reads) == count,
            "A batch reads only its own samples, each once, and only when you ask"
            " for the batch.",
            call=f"list(batches) after the last batch, drop_last={drop_last}",
            got=f"{len(rest)} batches, {len(log.reads) - count} samples read",
            want="0 batches, 0 samples read",
            look="is a batch that is dropped read before?",
        )


@pytest.mark.contract("test_loader_batches")
def test_each_batch_is_loaded_once(tt):
    calls, log = [], ReadLog(range(5))

    def collate_fn(samples):
        calls.append("collate_fn")
        return [10 * sample for sample in samples]

    def batch_transform(batch, key, indices):
        calls.append("batch_transform")
        return [value + int(index) for value, index in zip(batch, indices, strict=True)]

    loader = tt.DataLoader(
        log, batch_size=2, collate_fn=collate_fn, batch_transform=batch_transform
    )
    batches, before = iter(loader), 0
    for _ in range(3):
        got = list(next(batches))
        want = [11 * sample for sample in log.reads[before:]]
        expect(
            got == want and calls == ["collate_fn", "batch_transform"],
            "`self._load(piece, key)` is called once a batch; its result is yielded"
            " unchanged.",
            call=f"next(batches) that reads samples {log.reads[before:]}, with a"
            " collate_fn (10 x) and a batch_transform (+ indices)",
            got=f"{got} after calls of {calls}",
            want=f"{want} after calls of ['collate_fn', 'batch_transform']",
            look="yield self._load(piece, key), and nothing else",
        )
        before = len(log.reads)
        calls.clear()


class Drawing:
    """Five samples, each the first random number of its transform."""

    def __len__(self):
        return 5

    def sample_with(self, index, rng):
        return float(rng.random())


@pytest.mark.contract("test_loader_batches")
def test_the_key_is_passed_on(tt):
    loader = loader_of(tt, Drawing(), batch_size=2, seed=3)
    for epoch in range(2):
        got = sum(loader, [])
        want = [EpochKey.of(3, epoch).generator(i).random() for i in range(5)]
        expect(
            got == want,
            "`key` is passed on as it was given: a sample's random numbers depend on"
            " it.",
            call=f"the random numbers of 5 samples, seed=3, epoch {epoch}",
            got=got,
            want=want,
            look="self._load(piece, key): is `key` the one of the given line?",
        )


@pytest.mark.contract("test_loader_batches")
def test_two_loops_over_one_loader_do_not_disturb_each_other(tt):
    for shuffle in (False, True):
        loader, alone = (
            loader_of(tt, list(range(7)), batch_size=2, shuffle=shuffle, seed=1)
            for _ in range(2)
        )
        first, second = iter(loader), iter(loader)
        pairs = list(zip(first, second, strict=False))
        got = [sum((list(pair[k]) for pair in pairs), []) for k in (0, 1)]
        want = [sum(alone, []), sum(alone, [])]
        expect(
            got == want and sorted(got[0]) == list(range(7)),
            "Two loops over one loader do not disturb each other.",
            call=f"next() in turn on two iterators of one loader, shuffle={shuffle}",
            got=got,
            want=f"{want}, as one loop after the other; 0..6 in each",
            look="is the order, the position or the epoch kept in self? an epoch needs"
            " local"
            " variables",
        )


@pytest.mark.contract("test_loader_batches")
def test_an_empty_dataset_gives_no_batch(tt):
    for drop_last in (False, True):
        for shuffle in (False, True):
            settings = {"drop_last": drop_last, "shuffle": shuffle}
            got = [
                len(batch) for batch in loader_of(tt, [1, 2], batch_size=2, **settings)
            ]
            expect(
                got == [2],
                "`drop_last` leaves out a short last piece, never a full one.",
                call=f"list(DataLoader([1, 2], batch_size=2, **{settings}))",
                got=f"batches of {got} samples",
                want="batches of [2] samples",
                look="2 % 2 is 0: does your code leave out so many, and no more?",
            )
            got = list(loader_of(tt, [], batch_size=4, **settings))
            expect(
                got == [],
                "An empty dataset gives no batch.",
                call=f"list(DataLoader([], batch_size=4, **{settings}))",
                got=got,
                want=[],
                look="how often does the loop run for N = 0?",
            )


@pytest.mark.contract("test_loader_batches")
def test_each_epoch_follows_epoch_order(tt):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    for seed in (7, 0):
        loader = loader_of(tt, list(range(50)), batch_size=8, shuffle=True, seed=seed)
        for epoch in range(3):
            got = list(loader)
            order = tt.epoch_order(50, shuffle=True, seed=seed, epoch=epoch)
            order = np.asarray(order).tolist()
            want = [order[start : start + 8] for start in range(0, 50, 8)]
            expect(
                got == want,
                "`epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces"
                " of `batch_size`; each gives a batch.",
                call=f"epoch {epoch} of DataLoader(range(50), 8, shuffle=True,"
                f" seed={seed})",
                got=got,
                want=want,
                look="are N, self.shuffle, self.seed and `epoch` all passed on?",
            )


@pytest.mark.contract("test_loader_batches")
def test_features_and_labels_stay_together_when_shuffled(tt):
    features, labels = np.arange(20, dtype=np.float32) * 10, np.arange(20)

    def columns(samples):
        return tuple(
            [float(part.data if isinstance(part, Tensor) else part) for part in column]
            for column in zip(*samples, strict=True)
        )

    loader = tt.DataLoader(
        tt.TensorDataset(features, labels),
        batch_size=6,
        shuffle=True,
        seed=3,
        collate_fn=columns,
    )
    seen = []
    for tens, ones in loader:
        ones = np.asarray(ones.data if isinstance(ones, Tensor) else ones).tolist()
        expect(
            tens == [10 * label for label in ones],
            "`self._load(piece, key)` is called once a batch; its result is yielded"
            " unchanged.",
            call="for features, labels in DataLoader(TensorDataset(...), shuffle=True)",
            got=f"features {tens}, labels {ones}",
            want="each feature ten times its label",
            look="one order for all tensors",
        )
        seen += ones
    expect(
        sorted(seen) == list(range(20)),
        "`epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces of"
        " `batch_size`; each gives a batch.",
        call="DataLoader(20 rows, batch_size=6, shuffle=True)",
        got=f"{len(seen)} rows, {len(set(seen))} different",
        want="20 rows, 20 different",
        look="every piece of the order becomes a batch",
    )


@pytest.mark.contract("test_loader_batches")
def test_reading_ahead_gives_the_same_batches_and_reads_at_most_two(tt):
    log = ReadLog(range(12))
    batches = iter(loader_of(tt, log, batch_size=3, prefetch=1))
    first = next(batches)
    expect(
        len(log.reads) <= 6,
        "A batch reads only its own samples, each once, and only when you ask for"
        " the batch.",
        call="next(iter(DataLoader(dataset, batch_size=3, prefetch=1)))",
        got=f"{len(log.reads)} samples read",
        want="6 at most: this batch, and the next one read ahead",
        look="_batches may read only what it yields next",
    )
    got = [first, *batches]
    expect(
        [len(batch) for batch in got] == [3, 3, 3, 3]
        and sorted(sum(got, [])) == list(range(12)),
        "`self._load(piece, key)` is called once a batch; its result is yielded"
        " unchanged.",
        call="list(DataLoader(12 samples, batch_size=3, prefetch=1))",
        got=got,
        want="4 batches of 3 of the samples 0..11",
        look="yield self._load(piece, key), and nothing else",
    )


class Broken:
    """A dataset whose samples raise an error; `asked` lists the samples asked for."""

    def __init__(self, problem):
        self.problem, self.asked = problem, []

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.asked.append(int(index))
        raise self.problem


def reached(loader):
    """What reaches the caller of a loader, as text."""
    try:
        return f"no error, but {list(loader)}"
    except NotImplementedError:
        raise  # an exercise that is still a stub
    except Exception as problem:  # noqa: BLE001 - any error may be the wrong one
        return shown(problem)


@pytest.mark.contract("test_loader_batches")
def test_what_the_dataset_raises_reaches_the_caller(tt):
    for problem in (
        IndexError("photo 4.jpg is broken"),
        KeyError("label"),
        TypeError("no image"),
        OSError("disk full"),
        AttributeError("no such sample"),
    ):
        dataset = Broken(problem)
        got = reached(loader_of(tt, dataset, batch_size=2))
        expect(
            got == shown(problem) and dataset.asked == [0],
            "An error from the dataset, `collate_fn` or `batch_transform` reaches"
            " the caller unchanged, and the call is not repeated.",
            call=f"list(DataLoader(a dataset whose sample 0 raises {shown(problem)},"
            " 2))",
            got=f"{got} after reads of {dataset.asked}",
            want=f"{shown(problem)} after reads of [0]",
            look="is there a try around the load? is it loaded more than once?",
        )


@pytest.mark.contract("test_loader_batches")
def test_what_collate_fn_and_batch_transform_raise_reaches_the_caller(tt):
    calls = []

    def fails(batch):
        calls.append(batch)
        raise problem

    for problem in (
        ValueError("shapes differ"),
        KeyError("label"),
        IndexError("row 3"),
    ):
        for name in ("collate_fn", "batch_transform"):
            calls.clear()
            settings = {"collate_fn": lambda samples: samples, name: fails}
            got = reached(tt.DataLoader([1, 2, 3], batch_size=2, **settings))
            expect(
                got == shown(problem) and len(calls) == 1,
                "An error from the dataset, `collate_fn` or `batch_transform`"
                " reaches the caller unchanged, and the call is not repeated.",
                call=f"list(DataLoader([1, 2, 3], 2, {name}=one that raises"
                f" {shown(problem)}))",
                got=f"{got} after {len(calls)} calls",
                want=f"{shown(problem)} after 1 calls",
                look="is there a try around the load? is it loaded more than once?",
            )
