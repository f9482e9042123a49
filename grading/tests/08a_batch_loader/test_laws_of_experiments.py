"""Hidden: experiments with drawn lengths and drawn numbers of files."""

import contextlib

import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("test_make_data_loaders")


def plain_parts(tt):
    """Put plain parts in the place of `CIFAR10BatchLoader` and `SliceBatchLoader`, and
    return what puts the exercises back. They keep what they are given.
    """

    class Files:
        def __init__(self, pickle_files, file_length=10000, *, cache_size=1):
            self.names = [str(path).replace("\\", "/").split("/")[-1] for path in pickle_files]
            self.file_length, self.cache_size = file_length, cache_size

        def __len__(self):
            return len(self.names) * self.file_length

    class Part:
        def __init__(self, loader, start, length):
            self.loader, self.start, self.length = loader, start, length

    parts = {"CIFAR10BatchLoader": Files, "SliceBatchLoader": Part}
    before = {name: vars(tt)[name] for name in parts}
    vars(tt).update(parts)
    return lambda: vars(tt).update(before)


@pytest.fixture
def plain(inside):
    """A bug in another exercise costs no points of make_data_loaders."""
    put_back = inside(plain_parts)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


def kind(loader):
    """Which plain part it is: "Files" or "Part"."""
    return type(loader).__name__


@pytest.fixture
def made(tmp_path, draw):
    """A folder with a drawn number of training files, and its configuration."""
    files = int(draw.integers(6, 10))
    for number in draw.permutation(files).tolist():
        (tmp_path / f"data_batch_{number + 1}").touch()
    for name in ("test_batch", "batches.meta", "old_data_batch_1"):
        (tmp_path / name).touch()
    settings = {
        "path": tmp_path,
        "file_length": int(draw.integers(30, 60)),
        "test_file_length": int(draw.integers(5, 20)),
        "cache_size": int(draw.integers(2, 6)),
    }
    return files, settings


def test_lengths_and_slots_come_from_the_configuration(tt, plain, made):
    files, settings = made
    training, validation = tt.make_data_loaders({"data": settings}, {})
    want = [f"data_batch_{number + 1}" for number in range(files)]
    expect(
        training.names == want and validation.names == ["test_batch"],
        "Training reads every data_batch_* file of the folder, in sorted order.",
        call="make_data_loaders(config, {})",
        got=(training.names, validation.names),
        want=(want, ["test_batch"]),
        look='sorted(folder.glob("data_batch_*")): which files does your pattern '
        "match, and in which order?",
    )
    got = [(loader.file_length, loader.cache_size) for loader in (training, validation)]
    slots = settings["cache_size"]
    lengths = [(settings["file_length"], slots), (settings["test_file_length"], slots)]
    expect(
        got == lengths,
        "Training has file_length, validation test_file_length, both cache_size.",
        call="(file_length, cache_size) of both",
        got=got,
        want=lengths,
        look="file_length for training, test_file_length for validation",
    )


def test_exactly_the_records_that_are_there_can_be_asked_for(tt, plain, made, draw):
    files, settings = made
    records = files * settings["file_length"]
    for some in (0, int(draw.integers(1, records)), records):
        part, validation = tt.make_data_loaders({"data": settings}, {"training_records": some})
        got = (kind(part), part.start, part.length) if kind(part) == "Part" else kind(part)
        expect(
            got == ("Part", 0, some) and part.loader.names[0] == "data_batch_1",
            "training_records = n makes training a SliceBatchLoader of the first n"
            " records; n may be 0.",
            call=f'make_data_loaders(config, {{"training_records": {some}}}), {records} records',
            got=got,
            want=f"SliceBatchLoader(training, 0, {some})",
            look="SliceBatchLoader(training, 0, training_records), whenever "
            "training_records is not None: 0 is a number, too",
        )
        expect(
            kind(validation) == "Files",
            "Validation reads test_batch alone, and only when records are asked for.",
            call=f'make_data_loaders(config, {{"training_records": {some}}})[1]',
            got="a SliceBatchLoader" if kind(validation) == "Part" else kind(validation),
            want="a CIFAR10BatchLoader",
            look="training_records cuts the training loader only",
        )
    expect_raises(
        ValueError,
        lambda: tt.make_data_loaders({"data": settings}, {"training_records": records + 1}),
        "More training_records than there are, or fewer than 0, raise ValueError with"
        " name and value.",
        says=["training_records", str(records + 1)],
        call=f'make_data_loaders(config, {{"training_records": {records + 1}}})',
        look="0 to len(training) is allowed; check it yourself before a slice is "
        "made, and say `training_records` and its value",
    )
