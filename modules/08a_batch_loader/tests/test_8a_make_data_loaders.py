"""Laws of exercise 8a, make_data_loaders."""

import os
from pathlib import Path

from tinytorch.law_tools import raised_by, shown
from tinytorch.laws import Case, law


class CIFAR10BatchLoader:
    """Stands in for yours: it keeps what it is given, and reads nothing."""

    def __init__(self, pickle_files, file_length=10000, *, cache_size=1):
        from pathlib import Path

        self.files = [Path(path) for path in pickle_files]
        self.file_length, self.cache_size = file_length, cache_size

    def __len__(self):
        return len(self.files) * self.file_length

    def __repr__(self):
        return f"CIFAR10BatchLoader of {len(self)}"


class SliceBatchLoader:
    """Stands in for yours: it keeps what it is given, and checks nothing."""

    def __init__(self, loader, start, length):
        self.loader = loader
        self.start, self.length = start, length

    def __len__(self):
        return self.length

    def __repr__(self):
        return f"SliceBatchLoader of {self.length}"


class Experiment:
    """A folder of empty files, and a configuration with drawn lengths."""

    def __init__(self, tt, stand_in, tmp_path, draw, numbers=(1, 2)):
        stand_in(CIFAR10BatchLoader=CIFAR10BatchLoader)
        stand_in(SliceBatchLoader=SliceBatchLoader)
        self.make = tt.make_data_loaders
        self.folder = Path(os.path.realpath(tmp_path))
        names = [f"data_batch_{number}" for number in numbers]
        for name in (*draw.permutation(names), "test_batch", "batches.meta"):
            (self.folder / str(name)).touch()
        self.length, self.test_length = draw.integers((300, 20), (900, 90)).tolist()
        self.slots, self.n = int(draw.integers(2, 99)), len(numbers) * self.length
        self.data = {"path": self.folder, "file_length": self.length}

    def pair(self, hparams=None, **more):
        return self.make({"data": {**self.data, **more}}, hparams)

    def call(self, hparams=None, end=""):
        """The call as text; `config` has these files."""
        return f"make_data_loaders(config, {hparams}){end}, {self.n} records"

    def names(self, loader):
        """The loader's files; those outside the folder with their path."""
        return [
            path.name
            if Path(path).parent == self.folder
            else f"{path}, which is no file"
            for path in loader.files
        ]


KIND = "CIFAR10BatchLoader"


def kind(loader):
    return type(loader).__name__


@law(1, "pair of", look="what is returned at the end? And None cuts no slice")
def test_two_loaders_come_back(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)

    def kinds(hparams):
        pair = one.pair(hparams)
        return tuple(map(kind, pair)) if isinstance(pair, tuple) else kind(pair)

    for hparams in ({}, {"training_records": None}):
        want = (KIND, KIND)
        yield one.call(hparams), lambda: kinds(hparams), want


@law(
    2,
    "in sorted order",
    look="which names does your pattern match, do all numbers of files, and who sorts?"
    " glob promises no order; names are compared as text",
)
def test_training_reads_every_training_file(tt, stand_in, tmp_path, draw):
    numbers = 1, 2, *draw.integers((3, 10, 20), (10, 20, 100)).tolist()
    one = Experiment(tt, stand_in, tmp_path, draw, numbers)
    (one.folder / "old_data_batch_1").touch()
    want = sorted(f"data_batch_{number}" for number in numbers)
    call = f"{one.call({}, '[0]')}, a folder with data_batch_ {numbers}, test_batch,"
    call += " batches.meta, old_data_batch_1: its files"
    yield call, lambda: one.names(one.pair({})[0]), want


@law(
    3,
    "when records are asked",
    look="which files does the second loader get? One, which need not be there yet;"
    " training_records cuts the other loader",
)
def test_validation_reads_the_test_file(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)

    def validation(hparams):
        loader = one.pair(hparams)[1]
        files = one.names(loader) if kind(loader) == KIND else None
        return kind(loader), files

    for there in ("", " of a folder without test_batch"):
        for hparams in ({}, {"training_records": 5}):
            call = f"{one.call(hparams, '[1]')}{there}: kind, files"
            want = (KIND, ["test_batch"])
            yield call, lambda: validation(hparams), want
        (one.folder / "test_batch").unlink(missing_ok=True)


@law(
    4,
    "validation test_file_length",
    look="which arguments does each CIFAR10BatchLoader(...) get? cache_size is passed"
    " by name",
)
def test_each_loader_has_its_settings(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)

    def settings(more):
        return [(x.file_length, x.cache_size) for x in one.pair({}, **more)]

    length, test, slots = one.length, one.test_length, one.slots
    for more, want in (
        ({"test_file_length": test, "cache_size": slots}, [length, slots, test, slots]),
        ({"cache_size": slots}, [length, slots, length, slots]),
        ({}, [length, 1, length, 1]),
    ):
        told = f"data: path, file_length={length}, "
        told += ", ".join(f"{key}={value}" for key, value in more.items())
        want = [tuple(want[:2]), tuple(want[2:])]
        call = f"make_data_loaders of {told}: (file_length, cache_size) of both"
        yield call, lambda: settings(more), want


@law(
    5,
    "first n records",
    look="a slice of the whole training loader, from record 0 on, whenever"
    " training_records is not None: 0 is a number, and all records are allowed",
)
def test_training_may_be_cut(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)

    def part(n):
        loader = one.pair({"training_records": n})[0]
        if kind(loader) != "SliceBatchLoader":
            return kind(loader)
        return kind(loader), kind(loader.loader), loader.start, loader.length

    want = "SliceBatchLoader", KIND, 0
    for n in (int(draw.integers(1, one.n)), one.length, 0, one.n):
        call = one.call({"training_records": n}, "[0]")
        call += ": kind, its loader's kind, start, length"
        yield call, lambda: part(n), (*want, n)


@law(6, "Without training_records", look="training_records is None: it is not cut")
def test_training_may_be_whole(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)

    for hparams in ({}, {"training_records": None}, {"lr": 0.1}, None):
        call = f"len of {one.call(hparams, '[0]')}"
        yield call, lambda: len(one.pair(hparams)[0]), one.n


@law(
    7,
    "without training files",
    look="does glob find a file? If not, raise FileNotFoundError yourself; its message"
    " says `data.path` and the folder",
)
def test_a_folder_without_training_files_is_refused(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)
    yield f"len of {one.call({}, '[0]')} > 0", lambda: len(one.pair({})[0]) > 0, True
    for text in ("where there is no folder", "a folder with test_batch alone"):
        name = f"folder_{draw.integers(1000, 10_000)}"
        path, says = one.folder / name, ["data.path", name]
        if "test_batch" in text:
            path.mkdir()
            (path / "test_batch").touch()
        call = f'make_data_loaders({{"data": {{"path": "{name}"}}}}, {{}}), {text}'
        yield Case(
            call, lambda: one.pair({}, path=path), says, raises=FileNotFoundError
        )


@law(
    8,
    "fewer than 0",
    look="0 to len(training) is allowed. Check it yourself before a slice is made; the"
    " message says `training_records` and its value",
)
def test_too_many_records_are_refused(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)
    there = len(one.pair({})[0])
    for wrong in (there + 1, there + int(draw.integers(3000, 9000)), -1):
        hparams, says = {"training_records": wrong}, ["training_records", str(wrong)]
        yield Case(
            one.call(hparams), lambda: one.pair(hparams), says, raises=ValueError
        )


@law(
    9,
    "error of a loader",
    look="is an error of a loader that you make caught, replaced or answered by another"
    " try?",
)
def test_errors_of_the_loaders_pass_through(tt, stand_in, tmp_path, draw):
    one = Experiment(tt, stand_in, tmp_path, draw)
    hparams, calls, n = {"training_records": 5}, [], int(draw.integers(100, 1000))

    def fails(*args, **kwargs):
        calls.append(error)
        raise error

    for name in ("SliceBatchLoader", "CIFAR10BatchLoader"):
        stand_in(**{name: fails})
        for error in (ValueError(f"{n} slots"), OSError(f"disk {n}")):
            calls.clear()
            call = f"{one.call(hparams)}, where {name}(...) raises: error, calls of it"
            got = lambda: (raised_by(lambda: one.pair(hparams)), len(calls))  # noqa: E731
            yield call, got, (shown(error), 1)
