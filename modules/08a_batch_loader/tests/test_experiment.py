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
    for name, part in parts.items():
        part.__name__ = name
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
    """Whose place it takes: "CIFAR10BatchLoader" or "SliceBatchLoader"."""
    return type(loader).__name__


# A Path, not its text: files that a test hands over as a Path can be read in the
# grader's sandbox, too.
@pytest.fixture
def folder(tmp_path):
    for name in ("data_batch_2", "data_batch_1", "test_batch", "batches.meta"):
        (tmp_path / name).touch()
    return tmp_path


def test_training_and_validation_are_a_pair(tt, plain, folder):
    pair = tt.make_data_loaders({"data": {"path": folder, "file_length": 4}}, {})
    kinds = [kind(one) for one in pair] if isinstance(pair, tuple) else kind(pair)
    expect(
        kinds == ["CIFAR10BatchLoader"] * 2,
        "The result is a pair of CIFAR10BatchLoaders.",
        call="make_data_loaders(config, {}): what is in the tuple",
        got=kinds,
        want=["CIFAR10BatchLoader"] * 2,
        look="what is returned at the end? `training, validation`, two loaders",
    )
    training, validation = pair
    expect(
        training.names == ["data_batch_1", "data_batch_2"],
        "Training reads every data_batch_* file of the folder, in sorted order.",
        call="make_data_loaders(config, {})[0], a folder with data_batch_2,"
        " data_batch_1, test_batch and batches.meta: its files",
        got=training.names,
        want=["data_batch_1", "data_batch_2"],
        look='sorted(folder.glob("data_batch_*")): which files does your pattern match,'
        " and in which order?",
    )
    expect(
        validation.names == ["test_batch"],
        "Validation reads test_batch alone, and only when records are asked for.",
        call="make_data_loaders(config, {})[1]: its files",
        got=validation.names,
        want=["test_batch"],
        look='which files does the second loader get? [folder / "test_batch"]',
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
        call="make_data_loaders('experiment.yaml', {}), file_length 4, cache_size 2,"
        " no test_file_length: last file, length, cache size",
        got=got,
        want=want,
        look="which arguments does each of the two CIFAR10BatchLoader(...) get?",
    )


def test_a_hyperparameter_limits_the_training_records(tt, plain, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    for records in (5, 0, 8):
        part, whole = tt.make_data_loaders(config, {"training_records": records})
        got = (
            f"SliceBatchLoader, {part.start}, {part.length}"
            if kind(part) == "SliceBatchLoader"
            else f"no SliceBatchLoader, but {kind(part)}"
        )
        want = f"SliceBatchLoader, 0, {records}"
        expect(
            got == want and kind(whole) == "CIFAR10BatchLoader",
            "training_records = n makes training a SliceBatchLoader of the first n"
            " records; n may be 0.",
            call=f'make_data_loaders(config, {{"training_records": {records}}}),'
            " 2 files of 4 records: training",
            got=got
            if kind(whole) == "CIFAR10BatchLoader"
            else f"{got}; validation is cut",
            want=want,
            look="SliceBatchLoader(training, 0, training_records), whenever"
            " training_records is not None: 0 is a number, too",
        )


def test_without_a_hyperparameter_training_is_everything(tt, plain, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    for hparams in ({"training_records": None}, {"lr": 0.1}, None):
        got = kind(tt.make_data_loaders(config, hparams)[0])
        expect(
            got == "CIFAR10BatchLoader",
            "Without training_records, or with None, training has all records.",
            call=f"make_data_loaders(config, {hparams})[0]: its type",
            got=got,
            want="CIFAR10BatchLoader",
            look="training_records is None here: no slice is made",
        )


def test_each_loader_has_its_settings(tt, plain, folder):
    data = {"path": folder, "file_length": 4, "test_file_length": 3, "cache_size": 2}
    pair = tt.make_data_loaders({"data": data}, {})
    got = [(loader.file_length, loader.cache_size) for loader in pair]
    expect(
        got == [(4, 2), (3, 2)],
        "Training has file_length, validation test_file_length, both cache_size.",
        call="a config with file_length 4, test_file_length 3, cache_size 2:"
        " (file_length, cache_size) of both loaders",
        got=got,
        want=[(4, 2), (3, 2)],
        look="which arguments does each of the two CIFAR10BatchLoader(...) get?",
    )
    got = pair[1].names
    expect(
        got == ["test_batch"],
        "Validation reads test_batch alone, and only when records are asked for.",
        call="make_data_loaders(config, {})[1]: its files",
        got=got,
        want=["test_batch"],
        look='which files does the second loader get? [folder / "test_batch"]',
    )
    (folder / "test_batch").unlink()
    got = tt.make_data_loaders({"data": data}, {})[1].names
    expect(
        got == ["test_batch"],
        "Validation reads test_batch alone, and only when records are asked for.",
        call="make_data_loaders(config, {})[1] of a folder without test_batch: files",
        got=got,
        want=["test_batch"],
        look="is the file looked for when the loader is made? It is an error later,"
        " when records are asked for",
    )


def raised_where_a_loader_raises(tt, config, name, number):
    """What make_data_loaders raises where one of its loaders does, and how often that
    loader was made.
    """
    calls = []
    error = (KeyError("no such reel"), OSError("disk gone"), ValueError("odd"))[number]

    def fails(*args, **kwargs):
        calls.append(name)
        raise error

    before = vars(tt)[name]
    setattr(tt, name, fails)
    try:
        tt.make_data_loaders(config, {"training_records": 5})
    except NotImplementedError:  # your turn
        raise
    except Exception as problem:  # noqa: BLE001 - any error may be asked for
        return f"{type(problem).__name__}: {problem}; {len(calls)} times"
    finally:
        setattr(tt, name, before)
    return "no error"


def test_errors_of_the_loaders_pass_through(inside, plain, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    said = "KeyError: 'no such reel'", "OSError: disk gone", "ValueError: odd"
    for name in ("CIFAR10BatchLoader", "SliceBatchLoader"):
        for number, error in enumerate(said):
            got = inside(raised_where_a_loader_raises, config, name, number)
            expect(
                got == f"{error}; 1 times",
                "An error of a loader reaches the caller unchanged, without a retry.",
                call='make_data_loaders(config, {"training_records": 5}), and'
                f" {name} raises: the error, and how often {name} was made",
                got=got,
                want=f"{error}; 1 times",
                look=f"does anything catch what {name} raises, put another error in its"
                " place, or try again?",
            )


def test_errors_name_the_key(tt, plain, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    got = tt.make_data_loaders(config, {})[0].file_length
    expect(
        got == 4,
        "Training has file_length, validation test_file_length, both cache_size.",
        call='make_data_loaders({"data": {"path": folder, "file_length": 4}},'
        " {})[0].file_length",
        got=got,
        want=4,
        look="CIFAR10BatchLoader(files, file_length, ...)",
    )
    (folder / "tests only").mkdir()
    (folder / "tests only" / "test_batch").touch()
    for name in ("nowhere", "tests only"):
        path = folder / name
        expect_raises(
            FileNotFoundError,
            lambda: tt.make_data_loaders({"data": {"path": path}}, {}),
            "A folder without training files raises FileNotFoundError with data.path"
            " and the folder.",
            says=["data.path", name],
            call=f'make_data_loaders({{"data": {{"path": ".../{name}"}}}}, {{}})',
            look="does glob find a file? If not, raise FileNotFoundError; its message"
            " says `data.path` and the folder",
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
            look="0 to len(training) is allowed; check it yourself before a slice is"
            " made, and say `training_records` and its value",
        )
