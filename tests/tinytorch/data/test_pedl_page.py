"""PEDL's documentation page "Data Loaders", feature by feature and listing by listing, with files
in CIFAR-10's layout.
"""

import functools
import glob
import os
import pickle
import weakref
from abc import ABC

import numpy as np
import pytest

from tinytorch.datasets import write_batch

IMAGE_SIZE = 32 * 32 * 3
FILE_LENGTH = 10  # instead of the page's 10,000, so that all records can be compared
NUM_FILES = 5
IMAGES = np.random.default_rng(0).integers(
    0, 256, ((NUM_FILES + 1) * FILE_LENGTH, IMAGE_SIZE), dtype=np.uint8
)
LABELS = np.random.default_rng(1).integers(0, 10, (NUM_FILES + 1) * FILE_LENGTH)
NUM_TRAIN = NUM_FILES * FILE_LENGTH


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """data_batch_1 to data_batch_5 and test_batch, as `tar xzf cifar-10-python.tar.gz` leaves
    them.
    """
    folder = tmp_path_factory.mktemp("cifar") / "cifar-10-batches-py"
    folder.mkdir()
    for number, name in enumerate(
        [*(f"data_batch_{n + 1}" for n in range(NUM_FILES)), "test_batch"]
    ):
        part = slice(number * FILE_LENGTH, (number + 1) * FILE_LENGTH)
        write_batch(folder / name, IMAGES[part], LABELS[part])
    return folder


@pytest.fixture(scope="module")
def training_files(folder):
    return sorted(glob.glob(os.path.join(folder, "data_batch_*")))


@pytest.fixture(scope="module")
def pedl(references):
    """The page's module `pedl`: what students export in 08a."""
    return references("08a").module


def assert_holds(batch, start, end):
    """The batch is records start..end-1 of IMAGES and LABELS."""
    assert np.array_equal(batch.inputs["input"], IMAGES[start:end]) and np.array_equal(
        batch.outputs["output"], LABELS[start:end]
    )
    assert len(batch) == end - start


def assert_is_the_split(loaders):
    training, validation = loaders
    assert (len(training), len(validation)) == (NUM_TRAIN, FILE_LENGTH)
    for start, end in [(0, 4), (8, 12), (5, 45), (0, NUM_TRAIN), (49, 50), (20, 20)]:
        assert_holds(training.get_batch(start, end), start, end)
    assert_holds(validation.get_batch(3, 10), NUM_TRAIN + 3, NUM_TRAIN + 10)
    for loader in loaders:
        with pytest.raises(IndexError):
            loader.get_batch(len(loader) - 1, len(loader) + 1)


# Records and batches


def test_the_default_keys_are_input_and_output(pedl):
    batch = pedl.Batch(IMAGES[:3], LABELS[:3])
    assert list(batch.inputs) == ["input"] and list(batch.outputs) == ["output"]
    assert type(batch.inputs) is dict and type(batch.inputs["input"]) is np.ndarray


def test_a_record_may_have_several_named_inputs_and_outputs(pedl):
    batch = pedl.Batch(
        {"image": IMAGES[:3], "camera": ["a", "b", "c"]}, {"cat": [0, 1, 1], "dog": [1, 0, 0]}
    )
    assert (
        list(batch.inputs) == ["image", "camera"]
        and list(batch.outputs) == ["cat", "dog"]
        and len(batch) == 3
    )
    assert all(
        type(array) is np.ndarray for array in [*batch.inputs.values(), *batch.outputs.values()]
    )


def test_first_dimensions_must_match(pedl):
    with pytest.raises(ValueError, match=r"image.* 3.*camera.* 2.*output.* 3"):
        pedl.Batch({"image": IMAGES[:3], "camera": ["a", "b"]}, LABELS[:3])
    with pytest.raises(ValueError):
        pedl.Batch({"x": [1, 2]}, {"x": [1, 2, 3]})


# BatchLoader


def test_batch_loader_is_an_interface_of_two_methods(pedl):
    assert issubclass(pedl.BatchLoader, ABC) and pedl.BatchLoader.__abstractmethods__ == {
        "__len__",
        "get_batch",
    }
    with pytest.raises(TypeError):
        pedl.BatchLoader()


def test_array_batch_loader_wraps_arrays_in_memory_without_a_copy(pedl):
    loader = pedl.ArrayBatchLoader(IMAGES, LABELS)
    assert_holds(loader.get_batch(7, 23), 7, 23)
    assert np.shares_memory(loader.get_batch(7, 23).inputs["input"], IMAGES)


def test_array_batch_loader_takes_named_arrays(pedl):
    loader = pedl.ArrayBatchLoader(
        {"image": IMAGES, "mean": IMAGES.mean(axis=1)}, {"label": LABELS}
    )
    batch = loader.get_batch(2, 5)
    assert list(batch.inputs) == ["image", "mean"] and np.array_equal(
        batch.outputs["label"], LABELS[2:5]
    )


def test_slice_batch_loader_exposes_a_slice_of_another_loader(pedl):
    middle = pedl.SliceBatchLoader(pedl.ArrayBatchLoader(IMAGES, LABELS), 20, 30)
    assert len(middle) == 30
    assert_holds(middle.get_batch(0, 30), 20, 50)
    assert_holds(pedl.SliceBatchLoader(middle, 10, 5).get_batch(1, 3), 31, 33)
    for start, length in [(55, 6), (-1, 2), (0, -1)]:
        with pytest.raises(ValueError, match="60"):
            pedl.SliceBatchLoader(pedl.ArrayBatchLoader(IMAGES, LABELS), start, length)


@pytest.mark.parametrize("start, end", [(-1, 3), (3, 2), (0, 51), (51, 51)])
def test_a_range_outside_is_refused_by_every_loader(pedl, training_files, start, end):
    arrays = pedl.ArrayBatchLoader(IMAGES[:NUM_TRAIN], LABELS[:NUM_TRAIN])
    for loader in (
        arrays,
        pedl.SliceBatchLoader(pedl.ArrayBatchLoader(IMAGES, LABELS), 5, NUM_TRAIN),
        pedl.CIFAR10BatchLoader(training_files, FILE_LENGTH),
    ):
        with pytest.raises(IndexError, match=f"{start}:{end}.*0:50"):
            loader.get_batch(start, end)


# CIFAR10BatchLoader: the class itself


def test_a_read_crosses_file_boundaries(pedl, training_files):
    loader = pedl.CIFAR10BatchLoader(training_files, file_length=FILE_LENGTH)
    assert_holds(loader.get_batch(8, 31), 8, 31)
    batch = loader.get_batch(9, 11)
    assert (
        batch.inputs["input"].shape == (2, IMAGE_SIZE)
        and batch.inputs["input"].dtype == np.uint8
        and batch.outputs["output"].dtype == np.int64
    )


@pytest.mark.parametrize("place", [0, 10, 25, 50])
def test_an_empty_range_is_an_empty_batch_of_the_right_shape(pedl, training_files, place):
    loader = pedl.CIFAR10BatchLoader(training_files, FILE_LENGTH)
    batch = loader.get_batch(place, place)
    assert (
        len(batch) == 0
        and batch.inputs["input"].shape == (0, IMAGE_SIZE)
        and batch.inputs["input"].dtype == np.uint8
    )
    assert (
        batch.outputs["output"].shape == (0,)
        and batch.outputs["output"].dtype == np.int64
        and loader.cache.loads == 0
    )


def test_file_length_is_10000_by_default(pedl, training_files):
    assert len(pedl.CIFAR10BatchLoader(training_files)) == 50_000
    with pytest.raises(ValueError, match=r"10000.*data_batch_1.* 10"):
        pedl.CIFAR10BatchLoader(training_files).get_batch(0, 1)


def test_files_are_cached_and_a_slot_keeps_one_file(pedl, training_files):
    loader = pedl.CIFAR10BatchLoader(training_files, FILE_LENGTH)
    for start in range(0, NUM_TRAIN, 4):
        loader.get_batch(start, min(start + 4, NUM_TRAIN))
    assert loader.cache.loads == NUM_FILES, "in order, every file is read once"
    loader.get_batch(0, 1)
    assert loader.cache.loads == NUM_FILES + 1, "the one slot held the last file"
    roomy = pedl.CIFAR10BatchLoader(training_files, FILE_LENGTH, cache_size=NUM_FILES)
    for record in np.random.default_rng(0).permutation(NUM_TRAIN):
        roomy.get_batch(record, record + 1)
    assert roomy.cache.loads == NUM_FILES and roomy.cache.hits == NUM_TRAIN - NUM_FILES


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_one_file_is_resident_per_slot_even_while_the_next_is_read(
    pedl, training_files, monkeypatch, slots
):
    alive, most = [], []
    read = pedl.read_records

    def watched(path, file_length):
        most.append(sum(array() is not None for array in alive) + 1)
        records = read(path, file_length)
        alive.append(weakref.ref(records["data"]))
        return records

    monkeypatch.setattr(pedl, "read_records", watched)
    loader = pedl.CIFAR10BatchLoader(training_files, FILE_LENGTH, cache_size=slots)
    kept = [loader.get_batch(start, start + 12) for start in range(0, 38, 7)]
    assert_holds(kept[0], 0, 12)
    assert max(most) == slots and len(loader.cache.resident) == slots


def test_nothing_in_a_file_is_executed(pedl, tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "executed"),)

    (tmp_path / "data_batch_1").write_bytes(pickle.dumps({b"data": Evil(), b"labels": []}))
    with pytest.raises(ValueError, match="data_batch_1"):
        pedl.CIFAR10BatchLoader([tmp_path / "data_batch_1"], 1).get_batch(0, 1)
    assert not (tmp_path / "executed").exists()


def test_a_single_path_and_bad_lengths_are_refused(pedl, training_files):
    with pytest.raises(TypeError, match="list"):
        pedl.CIFAR10BatchLoader(training_files[0])
    for settings in (
        {"file_length": 0},
        {"file_length": 2.5},
        {"file_length": True},
        {"cache_size": 0},
        {"cache_size": True},
    ):
        with pytest.raises(ValueError, match=str(next(iter(settings.values())))):
            pedl.CIFAR10BatchLoader(training_files, **settings)


# The three listings, with the page's names and argument order


def test_listing_1_a_custom_batch_loader(pedl, folder):
    class CIFAR10BatchLoader(pedl.BatchLoader):
        def __init__(self, pickle_files, file_length=FILE_LENGTH):
            self.pickle_files = pickle_files
            self.file_length = file_length

        def __len__(self):
            return len(self.pickle_files) * self.file_length

        @functools.lru_cache(maxsize=1)  # noqa: B019 - as on the page
        def load_file(self, idx):
            assert 0 <= idx < len(self.pickle_files)
            with open(self.pickle_files[idx], "rb") as file:
                return pickle.load(file, encoding="bytes")

        def get_batch(self, start, end):
            assert 0 <= start <= end <= len(self)
            start_file, start_off = divmod(start, self.file_length)
            end_file, end_off = divmod(end - 1, self.file_length)
            inputs = np.empty((0, IMAGE_SIZE), dtype="uint8")
            labels = []
            while start_file <= end_file:
                records = self.load_file(start_file)
                file_end_off = end_off + 1 if end_file == start_file else self.file_length
                inputs = np.concatenate([inputs, records[b"data"][start_off:file_end_off, :]])
                labels += records[b"labels"][start_off:file_end_off]
                start_file, start_off = start_file + 1, 0
            return pedl.Batch(inputs, np.array(labels))

    def make_data_loaders(experiment_config, hparams):
        training_loader = CIFAR10BatchLoader(
            sorted(glob.glob(os.path.join(experiment_config["data"]["path"], "data_batch_*")))
        )
        validation_loader = CIFAR10BatchLoader(
            [os.path.join(experiment_config["data"]["path"], "test_batch")]
        )
        return training_loader, validation_loader

    training, validation = make_data_loaders({"data": {"path": str(folder)}}, {})
    for start, end in [(0, 4), (8, 12), (5, 45), (0, NUM_TRAIN), (49, 50)]:
        assert_holds(training.get_batch(start, end), start, end)
    assert_holds(validation.get_batch(3, 10), NUM_TRAIN + 3, NUM_TRAIN + 10)
    # It can be passed wherever a BatchLoader is accepted.
    assert_holds(pedl.SliceBatchLoader(training, 5, 20).get_batch(3, 9), 8, 14)
    inputs, labels = pedl.BatchLoaderDataset(training).__getitems__([31, 2, 3])
    assert np.array_equal(inputs.data, IMAGES[[31, 2, 3]]) and np.array_equal(
        labels.data, LABELS[[31, 2, 3]]
    )


def test_listing_1_with_the_loader_that_is_built_in(pedl, folder):
    def make_data_loaders(experiment_config, hparams):
        training_loader = pedl.CIFAR10BatchLoader(
            sorted(glob.glob(os.path.join(experiment_config["data"]["path"], "data_batch_*"))),
            FILE_LENGTH,
        )
        validation_loader = pedl.CIFAR10BatchLoader(
            [os.path.join(experiment_config["data"]["path"], "test_batch")], FILE_LENGTH
        )
        return training_loader, validation_loader

    assert_is_the_split(make_data_loaders({"data": {"path": str(folder)}}, {}))


def load_and_concatenate(pattern):
    """The common part of listings 2 and 3: all records of some files, in memory."""
    inputs, labels = np.empty((0, IMAGE_SIZE), dtype="uint8"), []
    for name in sorted(glob.glob(pattern)):
        with open(name, "rb") as file:
            records = pickle.load(file, encoding="bytes")
        inputs = np.concatenate([inputs, records[b"data"]])
        labels += records[b"labels"]
    return inputs, np.array(labels)


def test_listing_2_using_array_batch_loader(pedl, folder):
    def make_data_loaders(experiment_config, hparams):
        training_loader = pedl.ArrayBatchLoader(
            *load_and_concatenate(os.path.join(experiment_config["data"]["path"], "data_batch_*"))
        )
        validation_pkl = os.path.join(experiment_config["data"]["path"], "test_batch")
        with open(validation_pkl, "rb") as file:
            records = pickle.load(file, encoding="bytes")
        validation_loader = pedl.ArrayBatchLoader(records[b"data"], np.array(records[b"labels"]))
        return training_loader, validation_loader

    assert_is_the_split(make_data_loaders({"data": {"path": str(folder)}}, {}))


def test_listing_3_using_slice_batch_loader(pedl, folder):
    def make_data_loaders(experiment_config, hparams):
        data_loader = pedl.ArrayBatchLoader(
            *load_and_concatenate(os.path.join(experiment_config["data"]["path"], "*_batch*"))
        )
        training_loader = pedl.SliceBatchLoader(data_loader, 0, NUM_TRAIN)
        validation_loader = pedl.SliceBatchLoader(data_loader, NUM_TRAIN, FILE_LENGTH)
        return training_loader, validation_loader

    assert_is_the_split(make_data_loaders({"data": {"path": str(folder)}}, {}))


# make_data_loaders


@pytest.mark.parametrize("form", ["dict", "dict with a Path", "YAML file", "its name as text"])
def test_make_data_loaders_from_an_experiment(pedl, folder, tmp_path, form):
    experiment = {
        "data": {
            "path": folder if form == "dict with a Path" else str(folder),
            "file_length": FILE_LENGTH,
            "cache_size": 2,
        }
    }
    if "dict" not in form:
        file = tmp_path / "experiment.yaml"
        file.write_text(
            f"data:\n  path: {folder}\n  file_length: {FILE_LENGTH}\n  cache_size: 2\n",
            encoding="utf-8",
        )
        experiment = file if form == "YAML file" else str(file)
    loaders = pedl.make_data_loaders(experiment, {})
    assert_is_the_split(loaders)
    assert [loader.cache.slots for loader in loaders] == [2, 2]


def test_hparams_may_choose_fewer_records(pedl, folder):
    training, validation = pedl.make_data_loaders(
        {"data": {"path": str(folder), "file_length": FILE_LENGTH}},
        {"training_records": 23, "lr": 0.1},
    )
    assert (len(training), len(validation)) == (23, FILE_LENGTH)
    assert_holds(training.get_batch(15, 23), 15, 23)


@pytest.mark.parametrize("written", ["23", "{type: const, val: 23}"])
def test_both_arguments_come_from_the_experiment_file(pedl, folder, tmp_path, written):
    file = tmp_path / "exp.yaml"
    file.write_text(
        f"data: {{path: {folder}, file_length: {FILE_LENGTH}}}\n"
        f"hyperparameters:\n  training_records: {written}\n"
        "  lr: {type: log, base: 10, minval: -4, maxval: -1}\n",
        encoding="utf-8",
    )
    assert len(pedl.make_data_loaders(str(file))[0]) == 23
    assert len(pedl.make_data_loaders(str(file), {"lr": 0.1})[0]) == 23
    assert len(pedl.make_data_loaders(str(file), {"training_records": 7})[0]) == 7
    assert len(pedl.make_data_loaders(str(file), {"training_records": None})[0]) == NUM_TRAIN


def test_a_range_for_training_records_is_refused_by_name(pedl, folder):
    config = {
        "data": {"path": str(folder), "file_length": FILE_LENGTH},
        "hyperparameters": {"training_records": {"type": "categorical", "vals": [10, 20]}},
    }
    with pytest.raises(
        ValueError, match=r"training_records must be a whole number.*a search draws"
    ):
        pedl.make_data_loaders(config)
    assert len(pedl.make_data_loaders(config, {"training_records": 20})[0]) == 20


@pytest.mark.parametrize(
    "text, says",
    [
        ("data:\n  paht: x\n", r"experiment\.yaml: data\.path is missing; did you mean 'paht'"),
        ("data:\n  path: 3\n", r"data\.path must be text \(str\), got 3"),
        ("{}\n", r"experiment\.yaml: data is missing"),
        (
            "data:\n  path: x\n  file_length: ten\n",
            r"data\.file_length must be a whole number \(int\), got 'ten'",
        ),
        (
            "data:\n  path: x\n  cache_size: true\n",
            r"data\.cache_size must be a whole number \(int\), got True",
        ),
        ("data:\n  path: /no/such/folder\n", r"data\.path.*no.such.folder"),
    ],
)
def test_errors_of_make_data_loaders_name_the_key(pedl, tmp_path, text, says):
    (tmp_path / "experiment.yaml").write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, FileNotFoundError), match=says):
        pedl.make_data_loaders(tmp_path / "experiment.yaml", {})


def test_misspelled_keys_are_refused_by_name(pedl, folder):
    right = {"path": str(folder), "file_length": FILE_LENGTH}
    for config, hparams, says in (
        ({"data": {"path": str(folder), "file_lenght": FILE_LENGTH}}, {}, "'file_length'"),
        ({"data": right, "hyperparameter": {"training_records": 5}}, {}, "'hyperparameters'"),
        ({"data": right, "hyperparameters": {"training_record": 5}}, {}, "'training_records'"),
        ({"data": right}, {"trainig_records": 5}, "'training_records'"),
    ):
        with pytest.raises(ValueError, match=f"did you mean {says}"):
            pedl.make_data_loaders(config, hparams)
    whole = {"data": right, "searcher": {"name": "single"}, "description": "all of them"}
    assert len(pedl.make_data_loaders(whole)[0]) == NUM_TRAIN


def test_a_copy_of_a_training_file_is_refused_by_name(pedl, folder, tmp_path):
    for name in ("data_batch_1", "data_batch_10"):
        (tmp_path / name).write_bytes((folder / "data_batch_1").read_bytes())
    config = {"data": {"path": tmp_path, "file_length": FILE_LENGTH}}
    training, validation = pedl.make_data_loaders(config)
    assert len(training) == 2 * FILE_LENGTH
    with pytest.raises(FileNotFoundError, match=r"test_batch: no such batch file; CIFAR-10's"):
        validation.get_batch(0, 1)
    for name in ("data_batch_1.bak", "data_batch_1 (copy)", "data_batch_"):
        (tmp_path / name).touch()
        with pytest.raises(ValueError, match=r"data_batch_.*: a training file is called"):
            pedl.make_data_loaders(config)
        (tmp_path / name).unlink()


@pytest.mark.parametrize("indices", [[0.5], [1.0], [True, False, True], ["1"]])
def test_indices_of_records_in_memory_are_whole_numbers(pedl, indices):
    dataset = pedl.BatchLoaderDataset(pedl.ArrayBatchLoader(IMAGES, LABELS))
    with pytest.raises(TypeError, match="indices must be whole numbers, got"):
        dataset.__getitems__(indices)
    assert [len(side) for side in dataset.__getitems__([])] == [0, 0]


# memo_pickle


def test_memo_pickle_keeps_results_on_disk_for_later_runs(pedl, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTORCH_MEMO", str(tmp_path / "default"))
    calls = []

    def mean_image(images, scale=1):
        calls.append(scale)
        return images.mean(axis=0) * scale

    for decorate in (
        pedl.memo_pickle,
        pedl.memo_pickle(),
        pedl.memo_pickle(directory=tmp_path / "own"),
    ):
        for scale in (1, 2, 1):
            assert np.array_equal(decorate(mean_image)(IMAGES, scale), IMAGES.mean(axis=0) * scale)
    assert calls == [1, 2, 1, 2], "computed once for each scale in each of the two folders"
    assert (
        pedl.memo_pickle(mean_image).__name__ == "mean_image"
        and pedl.memo_pickle(mean_image).__wrapped__ is mean_image
    )


def test_memo_pickle_knows_a_call_however_it_is_written(pedl, tmp_path):
    calls = []

    @pedl.memo_pickle(directory=tmp_path / "memo")
    def load(path, *, size=3, **more):
        calls.append(path)
        return path * size

    assert {load("a"), load(path="a"), load("a", size=3)} == {"aaa"} and calls == ["a"]
    assert load("a", x=1, y=2) == load("a", y=2, x=1) and calls == ["a", "a"]


@pytest.mark.parametrize(
    "one, other",
    [
        ("def load(x):\n    return x + 1", "def load(x):\n    return x + 2"),
        ("def load(x, by=1):\n    return x + by", "def load(x, by=2):\n    return x + by"),
        (
            "STEP = 1\ndef load(x):\n    return x + STEP",
            "STEP = 2\ndef load(x):\n    return x + STEP",
        ),
        (
            "def add(x):\n    return x + 1\ndef load(x):\n    return add(x)",
            "def add(x):\n    return x + 2\ndef load(x):\n    return add(x)",
        ),
    ],
    ids=["own line", "default", "global number", "helper"],
)
def test_changed_code_is_a_miss(pedl, tmp_path, one, other):
    results = []
    for source in (one, one, other, one):
        space = {"__name__": "__main__"}
        exec(source, space)
        results.append(pedl.memo_pickle(directory=tmp_path / "memo")(space["load"])(1))
    assert results == [2, 2, 3, 2] and len(list((tmp_path / "memo").glob("*.memo"))) == 2


def test_an_error_is_not_kept(pedl, tmp_path):
    @pedl.memo_pickle(directory=tmp_path / "memo")
    def divide(one, other):
        return one / other

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            divide(1, 0)
    assert list((tmp_path / "memo").glob("*.memo")) == []


def test_a_memo_serves_make_data_loaders(pedl, training_files, tmp_path):
    @pedl.memo_pickle(directory=tmp_path / "memo")
    def mean_pixel(files, file_length):
        loader = pedl.CIFAR10BatchLoader(files, file_length)
        return loader.get_batch(0, len(loader)).inputs["input"].mean(axis=0)

    assert np.array_equal(mean_pixel(training_files, FILE_LENGTH), IMAGES[:NUM_TRAIN].mean(axis=0))
    assert np.array_equal(
        mean_pixel(training_files, file_length=FILE_LENGTH), IMAGES[:NUM_TRAIN].mean(axis=0)
    )
    assert len(list((tmp_path / "memo").glob("*.memo"))) == 1
