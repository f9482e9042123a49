"""Promises of make_data_loaders. `tt` is your exported package."""

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
            self.names = [
                str(path).replace("\\", "/").split("/")[-1] for path in pickle_files
            ]
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


# A Path, not its text: files that a test hands over as a Path can be read in the
# grader's sandbox, too.
@pytest.fixture
def folder(tmp_path):
    for name in ("data_batch_2", "data_batch_1", "test_batch", "batches.meta"):
        (tmp_path / name).touch()
    return tmp_path


def test_training_and_validation_are_a_pair(tt, plain, folder):
    training, validation = tt.make_data_loaders(
        {"data": {"path": folder, "file_length": 4}}, {}
    )
    kinds = kind(training), kind(validation)
    expect(
        kinds == ("Files", "Files"),
        "The result is a pair of CIFAR10BatchLoaders.",
        call="make_data_loaders(config, {})",
        got=kinds,
        want="two CIFAR10BatchLoaders",
    )
    got = training.names, validation.names
    want = ["data_batch_1", "data_batch_2"], ["test_batch"]
    expect(
        got == want,
        "Training reads every data_batch_* file of the folder, in sorted order.",
        call="make_data_loaders(config, {})",
        got=got,
        want=want,
        look='sorted(folder.glob("data_batch_*"))',
    )


def test_an_experiment_file_is_read(tt, plain, folder):
    path = folder / "experiment.yaml"
    path.write_text(
        f"data:\n  path: '{folder.as_posix()}'\n  file_length: 4\n  cache_size: 2\n",
        encoding="utf-8",
    )
    pair = tt.make_data_loaders(path, {})
    got = [
        (loader.names[-1:], loader.file_length, loader.cache_size) for loader in pair
    ]
    want = [(["data_batch_2"], 4, 2), (["test_batch"], 4, 2)]
    expect(
        got == want,
        "Training has file_length, validation test_file_length, both cache_size.",
        call="make_data_loaders('experiment.yaml', {}): last file, length, cache size",
        got=got,
        want=want,
    )


def test_a_hyperparameter_limits_the_training_records(tt, plain, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    part, _ = tt.make_data_loaders(config, {"training_records": 5})
    got = (kind(part), part.start, part.length) if kind(part) == "Part" else kind(part)
    expect(
        got == ("Part", 0, 5),
        "training_records = n makes training a SliceBatchLoader of the first n"
        " records; n may be 0.",
        call='make_data_loaders(config, {"training_records": 5})',
        got=got,
        want="SliceBatchLoader(training, 0, 5)",
    )
    for hparams in ({"training_records": None}, {"lr": 0.1}, None):
        got = kind(tt.make_data_loaders(config, hparams)[0])
        expect(
            got == "Files",
            "Without training_records, or with None, training is everything.",
            call=f"make_data_loaders(config, {hparams})",
            got=got,
            want="a CIFAR10BatchLoader",
        )


def test_errors_name_the_key(tt, plain, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    got = tt.make_data_loaders(config, {})[0].file_length
    expect(
        got == 4,
        "Training has file_length, validation test_file_length, both cache_size.",
        got=got,
        want=4,
    )
    expect_raises(
        FileNotFoundError,
        lambda: tt.make_data_loaders({"data": {"path": folder / "nowhere"}}, {}),
        "A folder without training files raises FileNotFoundError with data.path and"
        " the folder.",
        says=["data.path", "nowhere"],
        call='make_data_loaders({"data": {"path": ".../nowhere"}}, {})',
    )
    for wrong in (9, -1):
        expect_raises(
            ValueError,
            lambda: tt.make_data_loaders(config, {"training_records": wrong}),
            "More training_records than there are, or fewer than 0, raise ValueError"
            " with name and value.",
            says=["training_records", str(wrong)],
            call=(
                f'make_data_loaders(config, {{"training_records": {wrong!r}}}), 8'
                " records"
            ),
        )
