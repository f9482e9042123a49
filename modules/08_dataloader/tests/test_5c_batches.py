"""Laws of exercise 5c, _batches. Your `epoch_order`, `__init__` and the given `_load`
are replaced, so that only `_batches` is tested.
"""

from itertools import islice

import numpy as np
from stand_ins_08 import PlainRows, loader_with

from tinytorch.core.rng import EpochKey
from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law
from tinytorch.testing import ReadLog

LOCAL = "is the order, the position or the epoch kept in self? Use local variables"
YIELDED = (
    "is there one `yield self._load(piece, key)` for each piece of batch_size indices,"
    " and no `return` with a value?"
)
LOADED = "self._load reads a batch: is it called with each piece?"
LEFT_OUT = "which piece is shorter than batch_size? What if nothing is left over?"
RESULTS = (0, None, "", [], {}, False, ("x", "y"), np.arange(3), [[1], [2]])


def order_of(num_samples, shuffle=False, seed=None, epoch=0):
    """Stands in for epoch_order: an order that depends on all that it is given."""
    numbers = [num_samples, epoch, -1 if seed is None else seed]
    shuffled = np.random.default_rng([3 + number for number in numbers])
    order = np.arange(num_samples)
    return shuffled.permutation(order) if shuffle else order


class Run:
    """A loader whose `_load` notes the pieces and returns, or raises, one of `results`
    each time; without them it gives each piece back as a list.
    """

    def __init__(self, inside, stand_in, n, size, results=None, **settings):
        self.asked, self.pieces, self.keys, self.results = [], [], [], results
        self.dataset = settings.pop("dataset", ReadLog(range(n)))
        stand_in(epoch_order=self.order)
        parts = {"batch_size": size, "_load": self.load, **settings}
        self.loader = inside(loader_with, self.dataset, parts)
        self.batches = lambda: list(islice(self.loader, 99))
        epoch = settings.pop("epoch", None)
        words = "".join(
            f", {name}={getattr(value, '__name__', value)}"
            for name, value in settings.items()
        )
        self.call = f"DataLoader({n} samples, batch_size={size}{words})"
        self.call += "" if epoch is None else f" in epoch {epoch}"

    def order(self, num_samples, shuffle=False, seed=None, epoch=0):
        self.asked.append((num_samples, shuffle, seed, epoch))
        return order_of(num_samples, shuffle, seed, epoch)

    def load(self, indices, key):
        self.pieces.append(np.asarray(indices).tolist())
        self.keys.append(key)
        if self.results is None:
            return self.pieces[-1]
        result = self.results[len(self.pieces) - 1]
        if isinstance(result, Exception):
            raise result
        return result


def kind_of_batches(tt, loader):
    return type(loader._batches(0)).__name__


def joined(batches):
    return [sample for batch in batches for sample in batch]


@law(
    1,
    "cut into pieces",
    look="epoch_order gets four things: N, self.shuffle, self.seed, epoch; what it"
    " returns is cut, and nothing else",
)
def test_the_order_of_the_epoch_is_cut(inside, stand_in, draw):
    size, full, drawn = draw.integers(3, 9, 3).tolist()
    n = size * full
    run = Run(inside, stand_in, n, size)
    yield Case(
        "type(loader._batches(0))",
        inside(kind_of_batches, run.loader),
        "generator",
        holds=lambda kind: kind != "NoneType",
        look="is there a `yield` in the loop?",
    )
    for shuffle, seed, epoch in (
        (False, 7, 0),
        (True, 7, 0),
        (True, None, 2),
        (True, 0, 1),
        (True, 5, drawn),
    ):
        settings = {"shuffle": shuffle, "seed": seed, "epoch": epoch}
        run = Run(inside, stand_in, n, size, **settings)
        call = f"list({run.call})"
        sizes = [size] * full
        yield Case(
            f"{call}: sizes",
            lambda run=run: [len(one) for one in run.batches()],
            sizes,
            look=YIELDED,
        )
        asked, want = sorted(set(run.asked), key=str), [(n, shuffle, seed, epoch)]
        if shuffle:
            yield f"{call}: epoch_order gets", asked, want
        order = order_of(n, shuffle, seed, epoch).tolist()
        look = None if run.pieces else LOADED
        yield Case(f"{call}: samples", joined(run.pieces), order, look=look)


def cut(inside, stand_in, draw, drop_last):
    """(call, pieces, sizes of the full pieces, the rest, the order) of several runs."""
    most, number = draw.integers(3, 9, 2).tolist()
    drawn = (most, number, int(draw.integers(1, most))), (most, number, 0)
    rows = [(4, 2, 2), (4, 2, 1), (4, 2, 0), (4, 0, 3), (4, 1, 0), (1, 3, 0)]
    for size, full, rest in (*rows, *drawn):
        n = size * full + rest
        settings = {"shuffle": True, "seed": 1, "drop_last": drop_last}
        run = Run(inside, stand_in, n, size, **settings)
        yield (
            f"list({run.call})",
            run,
            [size] * full,
            rest,
            order_of(n, True, 1).tolist(),
        )


@law(
    2,
    "short last piece gives",
    look="the last piece has what is left over: where does each piece begin and end?",
)
def test_what_is_left_over_is_a_batch(inside, stand_in, draw):
    for call, run, full, rest, order in cut(inside, stand_in, draw, False):
        sizes = [*full, rest] if rest else full
        yield (
            f"{call}: sizes",
            lambda run=run: [len(one) for one in run.batches()],
            sizes,
        )
        yield f"{call}: samples", joined(run.pieces), order


@law(3, "leaves out a short last piece", look=LEFT_OUT)
def test_drop_last_leaves_out_what_is_left_over(inside, stand_in, draw):
    for call, run, full, rest, order in cut(inside, stand_in, draw, True):
        yield (
            f"{call}: sizes",
            lambda run=run: [len(one) for one in run.batches()],
            full,
        )
        want = order[:-rest] if rest else order
        yield f"{call}: samples", joined(run.pieces[: len(full)]), want


@law(4, "is called once a batch", look="yield self._load(piece, key), and nothing else")
def test_what_load_returns_is_yielded(inside, stand_in, draw):
    asked = []

    def changed(batch):
        asked.append("a function of the loader")
        return "changed"

    results = [*RESULTS, int(draw.integers(1, 10**6))]
    results = [results[k] for k in draw.permutation(len(results))]
    for more in (
        {},
        {"collate_fn": changed, "batch_transform": changed},
        {"prefetch": 1},
    ):
        run = Run(inside, stand_in, 3 * len(results) - 1, 3, results, **more)
        yield (
            f"{run.call}: what `_load` returns, one after another",
            run.batches,
            results,
        )
        calls = len(run.pieces), asked
        yield f"{run.call}: calls of _load, other calls", calls, (len(results), [])


@law(4, "is called once a batch", look="the batch is complete: features and labels")
def test_features_and_labels_stay_together(tt, inside, stand_in):
    stand_in(TensorDataset=PlainRows)
    pairs = tt.TensorDataset(np.zeros((5, 2)), np.arange(5))
    results = [("features", "labels"), ("more features", "more labels")]
    run = Run(inside, stand_in, 5, 3, results, dataset=pairs, shuffle=True)
    yield "list(DataLoader(TensorDataset(x, y), 3, shuffle=True))", run.batches, results


@law(5, "key is passed on", look="self._load(piece, key): `key` is the given line's")
def test_the_key_is_passed_on(inside, stand_in, draw):
    drawn = draw.integers(3, 1000, 2).tolist()
    for seed, epoch in ((3, 0), (3, 1), (0, 2), drawn):
        names = {
            (s, e): f"EpochKey.of({s}, {e})" for s in (0, seed) for e in (0, epoch)
        }
        known = {EpochKey.of(*pair).words: name for pair, name in names.items()}
        run = Run(inside, stand_in, 7, 3, seed=seed, epoch=epoch)
        yield (
            f"list({run.call}): the key of each batch",
            lambda run=run, known=known: (
                run.batches() and [known.get(tuple(key.words)) for key in run.keys]
            ),
            [names[seed, epoch]] * 3,
        )
    runs = [Run(inside, stand_in, 7, 3, seed=None, epoch=0) for _ in "12"]
    yield (
        f"{runs[0].call}, two such loaders: number of batches, and of different keys",
        lambda: (
            sum(len(run.batches()) for run in runs),
            len({tuple(key.words) for run in runs for key in run.keys}),
        ),
        (6, 2),
    )


@law(
    6,
    "only when you ask",
    look="is there a list of batches, a batch read before it is wanted or dropped after"
    " it is read?",
)
def test_a_batch_is_loaded_when_it_is_asked_for(inside, stand_in, draw):
    size, seed = int(draw.integers(2, 6)), int(draw.integers(2, 10**6))
    for drop_last, number in ((False, 4), (True, 3)):
        settings = {"shuffle": True, "seed": seed, "drop_last": drop_last}
        run = Run(inside, stand_in, 3 * size + 1, size, **settings)
        batches, steps = iter(run.loader), []
        for _ in range(number + 2):
            steps.append(len(run.pieces))
            next(batches, None)
        call = f"batches = iter({run.call})"
        want = [*range(number + 1), number]
        yield f"{call}: calls of _load before each next(batches)", steps, want
        twice = [one for one in run.pieces if run.pieces.count(one) > 1]
        yield f"{call}: pieces loaded more than once", twice, []
        text = f"{call}: samples read besides those that _load reads"
        yield text, run.dataset.reads, []


@law(7, "empty dataset gives", look="how often does the loop run for N = 0?")
def test_an_empty_dataset_gives_no_batch(inside, stand_in, draw):
    drawn = int(draw.integers(4, 10**6))
    for drop_last in (False, True):
        for n, want in ((0, []), (1, [[0]])):
            for more in {}, {"shuffle": True}, {"prefetch": 1}:
                size = n or drawn
                run = Run(inside, stand_in, n, size, drop_last=drop_last, **more)
                yield f"list({run.call})", run.batches, want


def in_turn(loader):
    """The samples of two loops over one loader, which take a batch in turn."""
    pairs = list(islice(zip(loader, loader, strict=False), 99))
    return [joined(pair[which] for pair in pairs) for which in (0, 1)]


def nested(loader):
    """The samples of a loop, and of a whole loop that runs inside of it."""
    outer, inner = [], []
    for batch in islice(loader, 99):
        outer += batch
        inner = inner or joined(islice(loader, 99))
    return [outer, inner]


@law(8, "do not disturb each other", look=LOCAL)
def test_two_loops_do_not_disturb_each_other(inside, stand_in, draw):
    size, full = draw.integers(2, 6, 2).tolist()
    n = size * full + 1
    for shuffle in (False, True):
        for text, loops, epochs in (
            ("zip(loader, loader)", in_turn, [1, 2] * (full + 1)),
            (
                "for a in loader: for b in loader",
                nested,
                [1, *[2] * full, 2, *[1] * full],
            ),
        ):
            run = Run(inside, stand_in, n, size, shuffle=shuffle, seed=1)
            next(iter(run.loader))  # epoch 0 ends early
            orders = [order_of(n, shuffle, 1, epoch).tolist() for epoch in (1, 2)]
            call = f"loader = {run.call}; {text}: "
            got = lambda run=run, loops=loops: loops(run.loader)  # noqa: E731
            yield f"{call}the samples of both loops", got, orders
            of_key = {EpochKey.of(1, epoch).words: epoch for epoch in (0, 1, 2)}
            got = [of_key.get(tuple(key.words)) for key in run.keys[1:]]
            yield f"{call}the epoch of each batch's key", got, epochs


@law(9, "reaches the caller", look="is there a `try`? Is self._load called again?")
def test_an_error_of_load_reaches_the_caller(inside, stand_in, draw):
    place = int(draw.integers(1, 40))
    for number, error in enumerate(ERRORS):
        at = (0, place)[number % 2]
        results, seen = [*range(at), error, *"never"], []
        run = Run(inside, stand_in, 3 * len(results), 3, results)
        raised = raised_by(
            lambda run=run, seen=seen: seen.extend(islice(run.loader, 99))
        )
        yield (
            f"for batch in {run.call}, whose batch {at} raises {shown(error)}: the"
            " error, the batches before it, calls of _load",
            (raised, seen, len(run.pieces)),
            (shown(error), [*range(at)], at + 1),
        )


class Broken:
    """A dataset whose length cannot be told."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def __len__(self):
        self.calls += 1
        raise self.error


@law(9, "reaches the caller", look="is there a `try` around len(self.dataset)?")
def test_an_error_of_the_dataset_reaches_the_caller(inside, stand_in, draw):
    size = int(draw.integers(2, 10**6))
    run = Run(inside, stand_in, 1, size)
    yield f"list(DataLoader(1 sample, {size}))", run.batches, [[0]]
    for error in ERRORS:
        dataset = Broken(error)
        loader = inside(loader_with, dataset, {"batch_size": size})
        raised = raised_by(lambda loader=loader: next(iter(loader)))
        call = f"a dataset whose len raises {shown(error)}"
        call = f"next(iter(DataLoader({call}, {size}))): error"
        yield f"{call}, calls of len", (raised, dataset.calls), (shown(error), 1)
