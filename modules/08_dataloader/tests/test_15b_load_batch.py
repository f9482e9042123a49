"""Laws of exercise 15b, load_batch."""

import numpy as np
from stand_ins_08 import loader_with

from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law

HAS = 'hasattr(loader.dataset, "__getitems__") asks the dataset, and decides alone'


class Plain:
    """100 samples, 7 i + 1. `log` has the index of each read."""

    def __init__(self, error=None):
        self.error, self.log = error, []

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return self.answer(int(index), 7 * index + 1)

    def answer(self, asked, answer):
        self.log.append(asked)
        if self.error:
            raise self.error
        return answer


class Gathering(Plain):
    """With `__getitems__`, whose indices are in `log` as a list. `form` makes its
    answer of the samples.
    """

    def __init__(self, form=tuple, error=None):
        super().__init__(error)
        self.form = form

    def __getitems__(self, indices):
        samples = [7 * int(i) + 1 for i in indices]
        return self.answer([int(i) for i in indices], self.form(samples))


class WithGenerators(Plain):
    """Its samples are random."""

    def sample_with(self, index, rng):
        return self.answer(int(index), float(rng.random()))


class Both(Gathering):
    def sample_with(self, index, rng):
        return self[index]


class NoGather(Plain):
    """The class has `__getitems__`; the object has not."""

    @property
    def __getitems__(self):
        raise AttributeError("__getitems__")


class Loads:
    """load_batch of a dataset; `told` is what a student would type."""

    def __init__(self, tt, inside, stand_in, draw):
        self.tt, self.inside, self.collated = tt, inside, []
        self.indices = draw.permutation(100)[: int(draw.integers(3, 6))].tolist()
        self.samples = [7 * i + 1 for i in self.indices]
        self.key = EpochKey.of(int(draw.integers(1, 1000)), 3)
        self.told = f"load_batch(loader, {self.indices}, key)"
        stand_in(collate=self.collate)

    def collate(self, samples):
        self.collated.append(type(samples).__name__)
        return "collated", list(samples)

    def __call__(self, dataset, **parts):
        loader = self.inside(loader_with, dataset, parts)
        return self.tt.load_batch(loader, np.array(self.indices), self.key)


def ways():
    """(words, a dataset and the settings of its loader) for each way to a batch."""
    return (
        ("finished by __getitems__", Gathering(lambda s: ("collated", s)), {}),
        ("a list from __getitems__", Gathering(list), {}),
        ("read one by one", Plain(), {}),
        ("collate_fn", Gathering(), {"collate_fn": lambda s: ("collated", list(s))}),
    )


@law(1, "is asked once", look=HAS)
def test_a_batch_is_one_gather(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    for words, dataset in (
        ("a dataset with __getitems__", Gathering()),
        ("whose __getitems__ gives a list", Gathering(list)),
        ("with __getitems__ and sample_with", Both()),
    ):
        read = lambda: (load(dataset), dataset.log)[1]  # noqa: E731
        yield f"{load.told}, {words}: what was read", read, [load.indices]
    dataset = Gathering()
    loader = inside(loader_with, dataset, {})
    one = np.array(load.indices[:1])
    alone = lambda: (tt.load_batch(loader, one, load.key), dataset.log)[1]  # noqa: E731
    call = f"load_batch(loader, {one}, key), with __getitems__: what was read"
    yield call, alone, [load.indices[:1]]
    dataset = Gathering()
    loader = inside(loader_with, dataset, {})
    loads = lambda: loader._load(np.array(load.indices), load.key)  # noqa: E731
    call = f"DataLoader._load(loader, {load.indices}, key): what was read"
    look = "the line below your function: DataLoader._load = load_batch"
    yield Case(call, lambda: (loads(), dataset.log)[1], [load.indices], look=look)


@law(2, "anything but a list", look="only a list is collated: isinstance(batch, list)")
def test_a_finished_batch_is_left_alone(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    rows = np.array(load.samples)
    for batch in (
        (load.samples, "labels"),
        tuple(load.samples),
        (),
        {"x": load.samples},
        rows,
        "a text",
        None,
        0,
    ):
        call = f"{load.told}, __getitems__ returns {batch!r}"
        yield call, lambda: load(Gathering(lambda _: batch)), batch
    got = lambda: load(Gathering(lambda _: Tensor(rows)))  # noqa: E731
    parts = lambda: (type(one := got()).__name__, getattr(one, "data", one))  # noqa: E731
    call = f"{load.told}, __getitems__ returns Tensor({rows.tolist()})"
    yield call, parts, ("Tensor", rows)


@law(3, "holds samples", look="isinstance(batch, list), then loader._collate_batch")
def test_a_list_is_collated(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    pairs = [(number, "label") for number in load.samples]
    for samples in (load.samples, pairs, [[1], [2]], load.samples[:1]):
        load.collated.clear()
        call = f"{load.told}, __getitems__ returns {samples}: batch, calls of collate"
        got = lambda: (load(Gathering(lambda _: samples)), load.collated)  # noqa: E731
        yield call, got, (("collated", samples), ["list"])


@law(
    4,
    "With a collate_fn",
    look="is loader.collate_fn asked first? load_one_by_one uses it",
)
def test_a_collate_fn_gets_the_samples(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    for words, dataset in (
        ("with __getitems__", Gathering()),
        ("whose __getitems__ gives a list", Gathering(list)),
        ("without __getitems__", Plain()),
    ):
        asked = []

        def mine(samples):
            asked.append(list(samples))
            return "mine", sum(samples)

        call = f"{load.told} with a collate_fn, a dataset {words}: batch, what"
        call += " collate_fn got, what was read"
        got = lambda: (load(dataset, collate_fn=mine), asked, dataset.log)  # noqa: E731
        want = ("mine", sum(load.samples)), [load.samples], load.indices
        yield call, got, want


@law(5, "without `__getitems__` is", look=f"load_one_by_one. {HAS}")
def test_other_datasets_are_read_one_by_one(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    random = [float(load.key.generator(i).random()) for i in load.indices]
    for words, dataset, samples in (
        ("with [] alone", Plain(), load.samples),
        ("with sample_with", WithGenerators(), random),
        ("whose __getitems__ raises AttributeError", NoGather(), load.samples),
    ):
        call = f"{load.told}, a dataset {words}: batch, what was read"
        got = lambda: (load(dataset), dataset.log)  # noqa: E731
        yield call, got, (("collated", samples), load.indices)


@law(
    6,
    "through batch_transform once",
    look="load_one_by_one transforms its batch itself; a gathered one is yours to"
    " transform",
)
def test_a_batch_is_transformed_once(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    wrap = lambda batch: ("transformed", batch)  # noqa: E731
    for words, dataset, parts in ways():
        got = lambda: load(dataset, batch_transform=wrap, **parts)  # noqa: E731
        want = "transformed", ("collated", load.samples)
        yield f"{load.told} with a batch_transform, {words}", got, want


@law(
    7,
    "the key and the",
    look="transform_batch(loader.batch_transform, batch, key, indices) with the key and"
    " the indices that load_batch got",
)
def test_a_transform_gets_key_and_indices(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    first = load.key.uniforms(np.array(load.indices), 1)[:, 0].tolist()

    def mine(batch, key, indices):
        numbers = key.uniforms(np.array(indices), 1)[:, 0].tolist()
        return [int(i) for i in indices], numbers

    for words, dataset, parts in ways():
        call = f"{load.told}, {words}: indices in batch_transform, numbers of its key"
        got = lambda: load(dataset, batch_transform=mine, **parts)  # noqa: E731
        yield call, got, (load.indices, first)


@law(
    8,
    "without a retry",
    look="is there a try? Ask with hasattr: a try hides the dataset's own errors",
)
def test_errors_pass_through(tt, inside, stand_in, draw):
    load = Loads(tt, inside, stand_in, draw)
    for error in ERRORS:
        calls = []

        def fails(batch):
            calls.append("asked")
            raise error

        for words, dataset, parts in (
            ("__getitems__", Gathering(error=error), {}),
            ("dataset[i]", Plain(error), {}),
            ("sample_with", WithGenerators(error), {}),
            ("batch_transform", Gathering(), {"batch_transform": fails}),
            ("batch_transform", Plain(), {"batch_transform": fails}),
            ("collate_fn", Gathering(), {"collate_fn": fails}),
        ):
            calls.clear()
            counted = calls if parts else dataset.log
            call = (
                f"{load.told}, {words} raises {shown(error)}: error, calls of {words}"
            )
            got = lambda: (raised_by(lambda: load(dataset, **parts)), len(counted))  # noqa: E731
            yield call, got, (shown(error), 1)
