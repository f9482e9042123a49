"""Laws of exercise 9b, BatchLoaderDataset."""

import numpy as np
from stand_ins_08a import PlainBatch

from tinytorch.law_tools import raised_by, shown
from tinytorch.laws import Case, law

TWO = ("image", "hour"), ("mask", "label")
DEFAULT = ("input",), ("output",)


def plain_runs(indices):
    """Stands in for `index_runs`."""
    own = set(map(int, indices))
    starts = sorted(index for index in own if index - 1 not in own)
    ends = sorted(index + 1 for index in own if index + 1 not in own)
    return [*zip(starts, ends, strict=True)]


class Records:
    """A batch loader of drawn arrays of several shapes and kinds. `ranges` is what it
    was asked for; `fails` is what it raises.
    """

    def __init__(self, tt, stand_in, draw, n, names=DEFAULT, fails=None):
        stand_in(Batch=PlainBatch, index_runs=plain_runs)
        self.tt, self.n, self.fails, self.ranges = tt, n, fails, []
        arrays = [
            draw.integers(0, 256, (n, 1, 2), dtype=np.uint8),
            draw.permutation(n).astype(np.int32),
            draw.integers(0, 99, (n, 2)).astype(np.int16),
            draw.permutation(n) / 4,
        ]
        self.sides = [{name: arrays.pop(0) for name in side} for side in names]
        self.dataset = tt.BatchLoaderDataset(self)

    def __len__(self):
        return self.n

    def get_batch(self, start, end):
        if self.fails:
            self.ranges.append((int(start), int(end)))
            raise self.fails
        if not 0 <= start <= end <= self.n:
            raise IndexError("the tape ends here")
        self.ranges.append((int(start), int(end)))
        return self.tt.Batch(*self.part(slice(int(start), int(end))))

    def part(self, rows):
        """These rows of every array, on both sides."""
        return [{k: array[rows] for k, array in side.items()} for side in self.sides]

    def case(self, text, ask, rows):
        """A case: `ask()` has these rows, in each array that came."""
        want = [
            {k: told(array) for k, array in side.items()} for side in self.part(rows)
        ]

        def shown():
            sides = [
                side if isinstance(side, dict) else {next(iter(own)): side}
                for side, own in zip(ask(), self.sides, strict=True)
            ]
            return [{k: told(one.data) for k, one in side.items()} for side in sides]

        def holds(got):
            return all(
                side and all(own.get(k) == one for k, one in side.items())
                for side, own in zip(got, want, strict=True)
            )

        return f"{text} of {self.n} records", lambda: shown(), want, holds


def told(array):
    array = np.asarray(array)
    return f"{array.dtype} {array.shape} {array.tolist()}"


@law(
    1,
    "without the dimension",
    look="a batch of one record has row 0, of each array on both sides; array[0] keeps"
    " the dtype and the other dimensions",
)
def test_a_sample_is_one_record(tt, stand_in, draw):
    n = int(draw.integers(10, 31))
    for names in (DEFAULT, TWO):
        records = Records(tt, stand_in, draw, n, names)
        for i in (0, int(draw.integers(1, n - 1)), n - 1):
            yield records.case(f"dataset[{i}]", lambda: records.dataset[i], i)


@law(
    2,
    "in the order asked",
    look="np.unique sorts and drops what is there twice; which `places` does assemble"
    " get to undo it?",
)
def test_a_batch_has_the_order_that_was_asked_for(tt, stand_in, draw):
    n = int(draw.integers(30, 60))
    drawn = draw.integers(0, n - 1, 4).tolist()
    for names in (DEFAULT, TWO):
        records = Records(tt, stand_in, draw, n, names)
        get = records.dataset.__getitems__
        drawn_ones = [n - 1, *drawn, drawn[0]]
        between = [3, 5, 4, 6], [4, 4, 6]  # as many as from the first to the last
        for indices in ([17, 4, 5, 17], drawn_ones, [8], [3, 4, 5], *between):
            call = f"dataset.__getitems__({indices})"
            yield records.case(call, lambda: get(indices), indices)
            array = np.array(indices)
            yield records.case(f"{call}, an array,", lambda: get(array), indices)


class Far:
    """A batch loader with more records than 32 bits count: record i has the numbers i
    and -i.
    """

    def __init__(self, tt):
        self.tt = tt

    def __len__(self):
        return 2**41

    def get_batch(self, start, end):
        return self.tt.Batch(np.arange(start, end), -np.arange(start, end))


@law(2, "in the order asked", look="which integers hold the indices? 32 bits are few")
def test_far_records_are_found(tt, stand_in, draw):
    stand_in(Batch=PlainBatch, index_runs=plain_runs)
    indices = [2**40 + int(draw.integers(1000)), 7, 2**31]
    dataset = tt.BatchLoaderDataset(Far(tt))
    call = f"dataset.__getitems__({indices}) of {2**41} records: inputs"
    yield call, lambda: dataset.__getitems__(indices)[0].data, np.array(indices)


@law(
    3,
    "default name",
    look="as_sample(arrays, default) decides for each side, with its own default;"
    " assemble does it for a batch",
)
def test_the_names_decide_what_a_side_is(tt, stand_in, draw):
    def kinds(pair):
        return tuple(
            {name: type(one).__name__ for name, one in side.items()}
            if isinstance(side, dict)
            else type(side).__name__
            for side in pair
        )

    dicts = [dict.fromkeys(side, "Tensor") for side in TWO]
    for names, want in (
        (DEFAULT, ("Tensor", "Tensor")),
        (TWO, tuple(dicts)),
        ((("input",), ("label",)), ("Tensor", {"label": "Tensor"})),
        ((("input", "hour"), ()), ({"input": "Tensor", "hour": "Tensor"}, {})),
        ((("output",), ("input",)), ({"output": "Tensor"}, {"input": "Tensor"})),
    ):
        records = Records(tt, stand_in, draw, 9, names)
        end = f", inputs {[*names[0]]}, outputs {[*names[1]]}"
        yield f"dataset[3]{end}", lambda: kinds(records.dataset[3]), want
        get = records.dataset
        yield (
            f"__getitems__([5, 3]){end}",
            lambda: kinds(get.__getitems__([5, 3])),
            want,
        )


@law(
    4,
    "record i alone",
    look="`__getitem__`: get_batch once, for one record, and nothing is kept."
    " `__getitems__`: once for each run of the sorted, different indices",
)
def test_the_loader_is_asked_once_for_each_run(tt, stand_in, draw):
    steps = np.cumsum(draw.integers(1, 5, 10)).tolist()
    drawn = [*zip(steps[::2], steps[1::2], strict=True)]
    records = Records(tt, stand_in, draw, 60)

    def asked(call):
        records.ranges.clear()
        call()
        return sorted(records.ranges)

    for i in (0, int(draw.integers(1, 58)), 59, 59):
        call = f"dataset[{i}] of 60 records: ranges that the loader was asked for"
        yield call, lambda: asked(lambda: records.dataset[i]), [(i, i + 1)]
    for runs in ([(4, 6), (17, 18)], [(8, 9)], [(0, 1), (59, 60)], drawn):
        own = [index for start, end in runs for index in range(start, end)]
        indices = draw.permutation([*own, *own[-1:], *own[:2]]).tolist()
        call = f"dataset.__getitems__({indices}): ranges that the loader was asked for"
        get = records.dataset
        yield call, lambda: asked(lambda: get.__getitems__(indices)), runs


@law(
    5,
    "No indices give",
    look="without a run there is no batch to assemble; the loader's range 0:0 has the"
    " right names, shapes and dtypes",
)
def test_no_indices_are_an_empty_batch(tt, stand_in, draw):
    none = slice(0, 0)
    own = f"image{draw.integers(1000)}", "hour"
    for n in (int(draw.integers(9, 30)), 0):
        for names in (DEFAULT, TWO, (own, ("mask",))):
            records = Records(tt, stand_in, draw, n, names)
            get = records.dataset.__getitems__
            yield records.case("__getitems__([])", lambda: get([]), none)
            array = np.array([], dtype=np.int64)
            yield records.case("__getitems__(an empty array)", lambda: get(array), none)


@law(
    6,
    "An index outside",
    look="is 0 <= index < N asked for this index, before the loader is asked? The"
    " loader knows ranges only; say the index that is outside, and N",
)
def test_an_index_outside_is_refused(tt, stand_in, draw):
    n, far = int(draw.integers(30, 50)), int(draw.integers(700, 710))
    records = Records(tt, stand_in, draw, n)
    dataset = records.dataset
    last = [n - 1, 0]
    call = f"dataset.__getitems__({last})"
    yield records.case(call, lambda: dataset.__getitems__(last), last)
    for i in (far, n, -1, -n):
        call, says = f"dataset[{i}] of {n} records", [str(i), str(n)]
        yield Case(call, lambda: dataset[i], says, raises=IndexError)
    for i, indices in (
        (far, [far]),
        (n, [3, 5, n]),
        (-1, [4, -1, 3]),
        (far, [far, 0]),
        (-9, [-9]),
    ):
        call, says = f"dataset.__getitems__({indices}) of {n} records", [str(i), str(n)]
        get = lambda: dataset.__getitems__(indices)  # noqa: E731
        yield Case(call, get, says, raises=IndexError)


def overwritten(tt, base):
    """Samples 3 to 5, after samples and batches were overwritten. The loader's batches
    are views of its arrays.
    """
    import numpy as np

    arrays = np.arange(80).reshape(40, 2) + base, np.arange(40) + base

    class Views:
        def __len__(self):
            return 40

        def get_batch(self, start, end):
            inputs, outputs = (array[start:end] for array in arrays)
            return tt.Batch({"input": inputs}, {"output": outputs})

    dataset = tt.BatchLoaderDataset(Views())
    pairs = [dataset[3], dataset.__getitems__([3, 4, 5]), dataset.__getitems__([5])]
    for number, pair in enumerate(pairs):
        for tensor in pair:
            tensor.data[...] = number
    kept = [np.unique(tensor.data).tolist() for pair in pairs for tensor in pair]
    again = [np.asarray(one.data).tolist() for one in dataset.__getitems__([3, 4, 5])]
    return kept, again, [np.asarray(one.data).tolist() for one in dataset[3]]


@law(
    7,
    "their own memory",
    look="whose memory is it? array[0], slices and np.squeeze are views of the loader's"
    " arrays: copy them",
)
def test_what_came_may_be_written_to(inside, stand_in, draw):
    stand_in(Batch=PlainBatch, index_runs=plain_runs)
    base = int(draw.integers(100, 10_000))
    images = [[base + 2 * i, base + 2 * i + 1] for i in (3, 4, 5)]
    labels = [base + i for i in (3, 4, 5)]
    want = [[number] for number in (0, 0, 1, 1, 2, 2)], [images, labels]
    call = "a = dataset[3]; b = __getitems__([3, 4, 5]); c = __getitems__([5]); filled"
    call += " with 0, 1, 2: numbers in a, b, c; then [3, 4, 5] and record 3 again"
    yield call, lambda: inside(overwritten, base), (*want, [images[0], labels[0]])


@law(
    8,
    "An error of the loader",
    look="is what get_batch raises caught, replaced or answered by another try?",
)
def test_errors_of_the_loader_pass_through(tt, stand_in, draw):
    reel, i = draw.integers(100, 1000, 2).tolist()
    for error in (OSError(f"reel {reel} broke"), KeyError(reel), IndexError("worn")):
        records = Records(tt, stand_in, draw, 2000, fails=error)

        def times(call):
            records.ranges.clear()
            return raised_by(call), len(records.ranges)

        want, data = (shown(error), 1), records.dataset
        told = "where the loader raises: error, how often it was asked"
        yield f"dataset[{i}], {told}", lambda: times(lambda: data[i]), want
        get = lambda: data.__getitems__([i, i + 6])  # noqa: E731
        yield f"dataset.__getitems__({[i, i + 6]}), {told}", lambda: times(get), want


def afterwards(tt, indices):
    """The indices after a batch of them, and the records that came."""
    import numpy as np

    class Numbers:
        def __len__(self):
            return 1000

        def get_batch(self, start, end):
            return tt.Batch(np.arange(start, end), np.arange(start, end))

    pair = tt.BatchLoaderDataset(Numbers()).__getitems__(indices)
    return [indices, np.unique(pair[0].data).tolist()]


@law(
    9,
    "indices given",
    look="a line changes `indices`? .sort() does, and np.asarray of an array is the"
    " caller's array",
)
def test_the_indices_stay(inside, stand_in, draw):
    stand_in(Batch=PlainBatch, index_runs=plain_runs)
    asked = [999, *draw.integers(0, 999, 3).tolist(), 4, 999]
    for given in (list(asked), np.array(asked)):
        want = [given.copy(), sorted(set(asked))]
        call = f"x = {asked}, {type(given).__name__}; dataset.__getitems__(x): x, and"
        call += " which records came"
        yield call, lambda: inside(afterwards, given), want
