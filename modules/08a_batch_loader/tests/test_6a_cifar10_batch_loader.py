"""Laws of exercise 6a, CIFAR10BatchLoader.get_batch."""

import numpy as np
from stand_ins_08a import PlainBatch, plain_range

from tinytorch.law_tools import raised_by, shown
from tinytorch.laws import Case, law


class EachTime:
    """Stands in for `FileCache`. It holds nothing, so each load_file reads a file; it
    knows which arrays of the files that it returned are still in memory.
    """

    def __init__(self, load, slots=1):
        self.load, self.known, self.counts = load, [], []

    def alive(self):
        return [array for one in self.known if (array := one()) is not None]

    def get(self, path):
        import weakref

        self.counts.append(len(self.alive()))
        records = {key: array.copy() for key, array in self.load(path).items()}
        self.known += map(weakref.ref, records.values())
        return records

    def shared(self, batch):
        """With how many arrays of files and of earlier batches does it share memory?"""
        import weakref

        import numpy as np

        own = [*batch.inputs.values(), *batch.outputs.values()]
        old = self.alive()
        self.known += map(weakref.ref, own)
        return sum(np.may_share_memory(one, other) for one in own for other in old)


def plain_pieces(start, end, file_length):
    """Stands in for `file_ranges`: the same list, found record by record."""
    found = {}
    for record in range(start, end):
        found.setdefault(record // file_length, []).append(record % file_length)
    return [(file, records[0], records[-1] + 1) for file, records in found.items()]


class Files:
    """Three or four files of drawn images; the label of record i is `base` + i. `read`
    has the numbers of the files that were read; `fails` is raised by the file `bad`.
    """

    def __init__(self, tt, stand_in, draw):
        self.count, self.length = int(draw.integers(3, 5)), int(draw.integers(5, 9))
        self.n = self.count * self.length
        self.images = draw.integers(0, 256, (self.n, 3072), dtype=np.uint8)
        self.base = int(draw.integers(300, 10_000))
        self.labels = self.base + np.arange(self.n)
        self.read, self.bad, self.fails = [], None, None
        stand_in(FileCache=EachTime, Batch=PlainBatch, check_range=plain_range)
        stand_in(file_ranges=plain_pieces, read_records=self.read_records)
        paths = [f"file {number} of {self.base}" for number in range(self.count)]
        self.loader = tt.CIFAR10BatchLoader(paths, self.length)

    def read_records(self, path, file_length):
        file = int(path.split()[1])
        self.read.append(file)
        if file == self.bad:
            raise self.fails
        part = slice(file * file_length, (file + 1) * file_length)
        return {"data": self.images[part], "labels": self.labels[part]}

    def ranges(self):
        """In one file, across two and three, a whole file, a start, an end, all."""
        size, n = self.length, self.n
        return (
            (1, 4),
            (size - 2, size + 2),
            (size - 1, 2 * size + 1),
            (size, 2 * size),
            (0, size),
            (n - 1, n),
            (0, n),
        )

    def get(self, start, end):
        self.read.clear()
        return self.loader.get_batch(start, end)

    def call(self, start, end):
        return f"get_batch({start}, {end}), {self.count} files of {self.length}"


def kinds(batch):
    """Name, dtype and shape of each array, on both sides."""
    return [
        [f"{name} {array.dtype} {array.shape}" for name, array in side.items()]
        for side in (batch.inputs, batch.outputs)
    ]


@law(
    1,
    "uint8 of shape",
    look="a place for each of the end - start records, whatever the files; and without"
    " a dtype np.empty makes float64",
)
def test_both_arrays_have_dtype_and_shape(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)
    for start, end in files.ranges():
        n = end - start
        want = [[f"input uint8 ({n}, 3072)"], [f"output int64 ({n},)"]]
        yield files.call(start, end), lambda: kinds(files.get(start, end)), want


@law(
    2,
    "holds the images",
    look="which records of each file (first to last - 1), and at which places of the"
    " batch? Images and labels take the same places",
)
def test_a_batch_is_a_part_of_all_files_joined(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)

    def shown(batch):
        """Which record's image each row is, -1 for none."""
        return [
            next((i for i, own in enumerate(files.images) if (row == own).all()), -1)
            for row in batch.inputs["input"]
        ]

    for start, end in files.ranges():
        call, want = files.call(start, end), [*range(start, end)]
        yield f"{call}: whose images", lambda: shown(files.get(start, end)), want
        call = f"{call}; record i has label {files.base} + i: labels"
        want = files.labels[start:end].tolist()
        got = lambda: files.get(start, end).outputs["output"].tolist()  # noqa: E731
        yield call, got, want


@law(
    3,
    "asked for once",
    look="one load_file for each piece of file_ranges; keep what it returns while you"
    " need it",
)
def test_each_file_is_asked_for_once(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)
    for start, end in (*files.ranges(), (1, 4)):
        want = sorted({record // files.length for record in range(start, end)})
        call = f"{files.call(start, end)}: calls of load_file"
        yield call, lambda: (files.get(start, end), sorted(files.read))[1], want


@law(
    4,
    "empty range gives",
    look="without a piece, what are your arrays? Their dtypes and the 3,072 columns"
    " cannot come from a file",
)
def test_an_empty_range_reads_nothing(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)
    for place in (0, 2, files.length, files.n):
        call = files.call(place, place)
        want = [["input uint8 (0, 3072)"], ["output int64 (0,)"]]
        yield call, lambda: kinds(files.get(place, place)), want
        yield f"{call}: files that were read", list(files.read), []


@law(5, "range outside", look="check the whole range before the first load_file")
def test_a_range_outside_is_refused(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)
    n = files.n
    far = n + int(draw.integers(2, 50))
    for start, end in ((n - 5, n + 1), (0, far), (far, far), (-1, 4), (-4, -2), (6, 5)):
        call, says = files.call(start, end), [str(start), str(end)]
        yield Case(call, lambda: files.get(start, end), says, raises=IndexError)
        yield f"{call}: files that were read", list(files.read), []
    yield files.call(n - 1, n), lambda: len(files.get(n - 1, n)), 1


@law(
    6,
    "own memory",
    look="images and labels are copied into arrays that each call makes anew: a slice"
    " of a file's array is a view, and self keeps no array",
)
def test_a_batch_shares_no_memory(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)
    size, kept = files.length, []

    def shared(start, end):
        kept.append(files.get(start, end))
        return files.loader.cache.shared(kept[-1])

    for start, end in ((1, 4), (1, 4), (2, 5), (size, 2 * size), (size - 2, size + 1)):
        call = f"{files.call(start, end)}: arrays of files and of earlier batches in it"
        yield call, lambda: shared(start, end), 0
        if len(kept) == 1:
            before = kept[0].outputs["output"].copy()
    call = "labels of the first batch, after four others"
    yield call, kept[0].outputs["output"], before


@law(
    7,
    "No variable refers",
    look="which of your names, or which list, still has the last file or a part of it"
    " when load_file is called again? `del` it",
)
def test_one_file_is_gone_when_the_next_is_loaded(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)

    def most_alive(start, end):
        before = len(files.loader.cache.counts)
        files.get(start, end)
        return max(files.loader.cache.counts[before:])

    for start, end in ((0, files.n), (files.length - 1, files.length + 1)):
        call = (
            f"{files.call(start, end)}: most arrays of files in memory at a load_file"
        )
        yield call, lambda: most_alive(start, end), 0


@law(
    8,
    "error of reading",
    look="is an error of load_file caught, replaced or answered by another call?",
)
def test_errors_of_files_pass_through(tt, stand_in, draw):
    files = Files(tt, stand_in, draw)
    reel = int(draw.integers(100, 1000))
    for error in (OSError(f"disk {reel} is away"), KeyError(reel), ValueError("odd")):
        files.bad, files.fails = 0, error
        call = f"{files.call(1, files.n)}; file 0 cannot be read: error, calls for it"
        said = lambda: raised_by(lambda: files.get(1, files.n))  # noqa: E731
        yield call, lambda: (said(), files.read.count(0)), (shown(error), 1)
