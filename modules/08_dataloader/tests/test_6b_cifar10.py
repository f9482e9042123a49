"""Laws of exercise 6b, CIFAR10Dataset._read_split."""

import numpy as np

from tinytorch import datasets
from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

TRAIN = datasets.TRAIN_FILES
STRAY = ("data_batch_6", "data_batch_1.orig", "test_batch.old")
NAMES = (*TRAIN, "test_batch", *STRAY)


class PlainImages:
    """Stands in for `to_images`."""

    def __new__(cls, rows):
        return rows.reshape(-1, 3, 32, 32)


class Files:
    """Five training files, a test file and, where `counts` is longer, other files; it
    says how many images each has. They are in `content`; if `written`, on the disk too.
    """

    def __init__(self, folder, draw, counts, written=False):
        self.folder, self.content = folder, {}
        folder.mkdir(exist_ok=True)
        for name, count in zip(NAMES, counts, strict=False):
            rows = draw.integers(0, 256, (count, 3072), dtype=np.uint8)
            labels = draw.integers(0, 10, count).tolist()
            self.content[name] = rows, labels
            if written:
                datasets.write_batch(folder / name, rows, labels)
            else:
                (folder / name).touch()

    def split(self, train):
        """All rows, and all labels, of a split."""
        parts = [self.content[name] for name in (TRAIN if train else NAMES[5:6])]
        rows, labels = zip(*parts, strict=True)
        return np.concatenate(rows), [label for one in labels for label in one]


def read_split(tt, folder, train, content=None, errors=None):
    """A dataset whose `read_batch` returns what is in `content`, or without it in the
    file. With a dict of errors, each a type and a text, that is raised for a file: what
    _read_split raised, and the files asked for.
    """
    import builtins
    from pathlib import Path

    import tinytorch.datasets as source

    real, asked = source.read_batch, []

    def read_batch(path):
        name = Path(path).name
        asked.append(name)
        if errors and name in errors:
            raise getattr(builtins, errors[name][0])(errors[name][1])
        if content is None:
            return real(path)
        rows, labels = content[name]
        return {"data": rows.copy(), "labels": list(labels)}

    dataset = object.__new__(tt.CIFAR10Dataset)
    dataset.train, dataset.transform, dataset.classes = train, None, list("abcdefghij")
    source.read_batch = read_batch
    try:
        dataset._read_split(Path(folder))
    except Exception as error:
        if errors is None or isinstance(error, NotImplementedError):
            raise
        return f"{type(error).__name__}: {error}", asked
    finally:
        source.read_batch = real
    return dataset if errors is None else ("no error", asked)


def splits(tmp_path, inside, stand_in, draw, both=(True, False), equal=False):
    """For each split of two folders: the call, how to read it, all rows, all labels.
    With `equal` the files of each folder are equally large; else one may be empty.
    """
    stand_in(to_images=PlainImages)
    odd = [*draw.permutation([0, 1, 2, 3, 9]).tolist(), 1]
    for number, counts in enumerate(([1] * 9, [2] * 6) if equal else ([2] * 6, odd)):
        files = Files(tmp_path / str(number), draw, counts)
        for train in both:
            given, of = (files.folder, train, files.content), counts[:5]
            call = f"_read_split(folder), train={train}, images in its files"
            call = f"{call} {of if train else counts[5:6]}"
            yield call, lambda x=given: inside(read_split, *x), *files.split(train)


def labels_of(*fixtures, train):
    """Cases: the labels of a split, whatever array or list they are in."""
    for call, read, _, labels in splits(*fixtures, both=(train,), equal=True):
        got = lambda read=read: np.ravel(read().labels).tolist()  # noqa: E731
        yield f"{call}: labels", got, labels


def kinds_of(name, want, *fixtures):
    """Cases: dtype and shape of an attribute; {} in `want` is the number of images."""
    for call, read, rows, _ in splits(*fixtures):

        def got(read=read):
            found = getattr(read(), name)
            return f"{getattr(found, 'dtype', type(found).__name__)} {np.shape(found)}"

        yield f"{call}: {name}", lambda got=got: got(), want.format(len(rows))


def places(images, rows):
    """Which row each image was made of, -1 for none."""
    found = [(rows == image.ravel()).all(axis=1) for image in np.asarray(images)]
    return [int(one.argmax()) if one.any() else -1 for one in found]


@law(
    1,
    "five training files",
    look="read_batch(folder / name) for every name in TRAIN_FILES, and no others",
)
def test_training_data_are_five_files(tmp_path, inside, stand_in, draw):
    yield from labels_of(tmp_path, inside, stand_in, draw, train=True)


@law(
    2,
    "the test file",
    look="self.train decides: TRAIN_FILES or TEST_FILES, and no others",
)
def test_test_data_are_one_file(tmp_path, inside, stand_in, draw):
    yield from labels_of(tmp_path, inside, stand_in, draw, train=False)


@law(
    3,
    "counted from the files",
    look="concatenate along the first dimension: all images of each file; no astype",
)
def test_images_are_joined(tmp_path, inside, stand_in, draw):
    want = "uint8 ({}, 3, 32, 32)"
    yield from kinds_of("images", want, tmp_path, inside, stand_in, draw)


@law(
    4,
    "int64 array",
    look="int64 for the joined array: a file has a list, and an empty one has no dtype",
)
def test_labels_are_joined(tmp_path, inside, stand_in, draw):
    yield from kinds_of("labels", "int64 ({},)", tmp_path, inside, stand_in, draw)


@law(
    5,
    "belongs to label",
    look="the same order of files for images and labels; to_images for each image",
)
def test_images_are_in_the_order_of_labels(tmp_path, inside, stand_in, draw):
    for call, read, rows, labels in splits(tmp_path, inside, stand_in, draw):

        def got(read=read, rows=rows):
            dataset = read()
            return places(dataset.images, rows), np.ravel(dataset.labels).tolist()

        call = f"{call}: which image of the files is image 0, 1, ... (-1: none); labels"
        yield call, lambda got=got: got(), (list(range(len(rows))), labels)


@law(6, "transforms nothing", look="who calls transform_image? Not _read_split")
def test_a_transform_waits_for_a_sample(tt, tmp_path, stand_in, draw):
    stand_in(to_images=PlainImages)
    datasets.write_synthetic_cifar10(tmp_path, 5, 1)  # for batches.meta
    files, seen = Files(tmp_path / datasets.FOLDER, draw, [1, 2, 1, 3, 1, 4], True), []

    def transform(image):
        seen.append(image.data.size)
        return "transformed"

    for train in (True, False):
        rows, labels = files.split(train)
        place, given = int(draw.integers(len(rows))), {"transform": transform}

        def got(train=train, place=place, rows=rows, given=given):
            seen.clear()
            dataset = tt.CIFAR10Dataset(tmp_path, train, download=False, **given)
            read = places(dataset.images, rows), len(seen)
            samples = [dataset[place], dataset[place]]
            return *read, [(x, int(y.data)) for x, y in samples], list(seen)

        call = f"CIFAR10Dataset(root, train={train}, transform=f): images, calls of f;"
        call = f"{call} its sample {place}, twice, and the sizes of f's images"
        sample = "transformed", labels[place]
        want = list(range(len(rows))), 0, [sample, sample], [3072, 3072]
        yield call, lambda got=got: got(), want


@law(
    7,
    "from a file",
    look="no `try`, and no question whether a file exists: read_batch, once for each",
)
def test_an_error_of_a_file_ends_the_reading(tmp_path, inside, stand_in, draw):
    stand_in(to_images=PlainImages)
    files = Files(tmp_path, draw, [1] * 6, True)

    def read(name, content, errors):
        train = name in TRAIN
        said, asked = inside(read_split, tmp_path, train, content, errors)
        return said, asked.count(name)

    names = list(files.content)
    for number, error in enumerate(ERRORS):
        name = names[number % len(names)]
        errors = {name: (type(error).__name__, error.args[0])}
        call = f"_read_split(folder); {name} raises {shown(error)}: the error,"
        call = f"{call} and calls of read_batch for it"
        got = lambda x=(name, files.content, errors): read(*x)  # noqa: E731
        yield call, got, (shown(error), 1)
    for name in (str(draw.choice(TRAIN)), "test_batch"):
        half = (tmp_path / name).read_bytes()[:1000]
        for what in ("missing", "half a file"):
            (tmp_path / name).unlink()
            if what == "half a file":
                (tmp_path / name).write_bytes(half)
            own = raised_by(lambda name=name: datasets.read_batch(tmp_path / name))
            want = own.partition(":")[0], True, 1
            call = f"_read_split(folder); {name} is {what}: the error, does it name the"

            def got(name=name):
                said, count = read(name, None, {"": ()})
                return said.partition(":")[0], name in said, count

            call = f"{call} file, and calls of read_batch for it"
            yield call, lambda got=got: got(), want
            (tmp_path / name).touch()
        datasets.write_batch(tmp_path / name, *files.content[name])
