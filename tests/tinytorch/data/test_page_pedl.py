"""PEDL's documentation page "Data Loaders" in lab 08a: its claims, with files in CIFAR-10's layout.
The loaders in its listings are tested by the laws of 2b, 3a and 6a.
"""

import json
import pickle  # noqa: F401 - the code of a row names it

import numpy as np
import pytest
from claims import prove, refusals, rows

from tinytorch.datasets import write_batch

IMAGE_SIZE = 32 * 32 * 3
FILE_LENGTH = 10  # in place of the page's 10,000, so that all records can be compared
NUM_FILES = 5
NUM_TRAIN = NUM_FILES * FILE_LENGTH
IMAGES = np.random.default_rng(0).integers(
    0, 256, (NUM_TRAIN + FILE_LENGTH, IMAGE_SIZE), dtype=np.uint8
)
LABELS = np.random.default_rng(1).integers(0, 10, NUM_TRAIN + FILE_LENGTH)

# section: code: its value
CODE = {
    "CIFAR10BatchLoader": {"len(CIFAR10BatchLoader(files))": 50_000},
    "Cache": {
        # a worker's copy begins empty
        "[copy.cache.resident for loader in [CIFAR10BatchLoader(files, 10, cache_size=2)]"
        " if loader.get_batch(0, 1) for copy in [loader, pickle.loads(pickle.dumps(loader))]]": [
            ("data_batch_1",),
            (),
        ],
    },
    "make_data_loaders": {
        "lengths(data, hyperparameters={'training_records': {'type': 'const', 'val': 9}})": [9, 10],
        "list(map(len, make_data_loaders(in_a_file({'data': data}))))": [NUM_TRAIN, FILE_LENGTH],
        # a trial goes before the file
        "lengths(data, hyperparameters={'training_records': 23}, training_records=7)": [7, 10],
    },
}
TAKEN = "BatchLoaderDataset(ArrayBatchLoader(IMAGES, LABELS)).__getitems__"
# code: what its error says
REFUSED = {
    "CIFAR10BatchLoader(files).get_batch(0, 1)": ["file_length = 10000", "data_batch_1 holds 10"],
    "CIFAR10BatchLoader(files[0])": ["a list of paths"],
    "lengths({'paht': 'x'})": ["data.path is missing; did you mean 'paht'"],
    "lengths({**data, 'file_lenght': 10})": ["did you mean 'file_length'"],
    "lengths(data, hyperparameters={'training_records': {'type': 'categorical', 'vals': [9]}})": [
        "training_records must be a whole number",
        "a search draws",
    ],
    f"{TAKEN}([True, False])": ["indices must be whole numbers, got"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """data_batch_1 to data_batch_5 and test_batch, as CIFAR-10's archive leaves them."""
    folder = tmp_path_factory.mktemp("cifar") / "cifar-10-batches-py"
    folder.mkdir()
    for number in range(NUM_FILES + 1):
        name = f"data_batch_{number + 1}" if number < NUM_FILES else "test_batch"
        part = slice(number * FILE_LENGTH, (number + 1) * FILE_LENGTH)
        write_batch(folder / name, IMAGES[part], LABELS[part])
    return folder


@pytest.fixture(scope="module")
def pedl(references):
    """The page's module `pedl`: what students export in 08a."""
    return references("08a").module


@pytest.fixture
def names(pedl, folder, tmp_path, monkeypatch):
    def lengths(data, hyperparameters=None, **hparams):
        config = {"data": data, "hyperparameters": hyperparameters}
        return list(map(len, pedl.make_data_loaders(config, hparams)))

    def in_a_file(config):
        (tmp_path / "experiment.yaml").write_text(json.dumps(config))  # JSON is YAML too
        return tmp_path / "experiment.yaml"

    monkeypatch.chdir(folder)
    files = [f"data_batch_{number + 1}" for number in range(NUM_FILES)]
    data = {"path": str(folder), "file_length": FILE_LENGTH}
    own = {"files": files, "data": data, "lengths": lengths, "in_a_file": in_a_file}
    return {**vars(pedl), **globals(), **own}


@rows(*CODE.values(), refusals((TypeError, ValueError, IndexError, FileNotFoundError), REFUSED))
def test_a_claim_of_the_page_holds(names, code, want):
    prove(code, want, names)


def test_a_copy_of_a_training_file_is_refused_by_name(pedl, folder, tmp_path):
    (tmp_path / "data_batch_1").write_bytes((folder / "data_batch_1").read_bytes())
    config = {"data": {"path": tmp_path, "file_length": FILE_LENGTH}}
    _, validation = pedl.make_data_loaders(config)
    with pytest.raises(FileNotFoundError, match=r"test_batch: no such batch file; CIFAR-10's"):
        validation.get_batch(0, 1)
    for name in ("data_batch_1.bak", "data_batch_1 (copy)", "data_batch_"):
        (tmp_path / name).touch()
        with pytest.raises(ValueError, match=r"data_batch_.*: a training file is called"):
            pedl.make_data_loaders(config)
        (tmp_path / name).unlink()


def test_memo_pickle_keeps_results_on_disk_for_later_runs(pedl, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTORCH_MEMO", str(tmp_path / "default"))
    calls = []

    def mean_image(images, scale=1):
        calls.append(scale)
        return images.mean(axis=0) * scale

    own = pedl.memo_pickle(directory=tmp_path / "own")
    for decorate in (pedl.memo_pickle, pedl.memo_pickle(), own):
        for scale in (1, 2, 1):
            assert np.array_equal(decorate(mean_image)(IMAGES, scale), IMAGES.mean(axis=0) * scale)
    assert calls == [1, 2, 1, 2], "computed once for each scale in each of the two folders"
    assert own(mean_image).__name__ == "mean_image" and own(mean_image).__wrapped__ is mean_image
    assert {path.name.split("-")[0] for path in (tmp_path / "own").glob("[!.]*")} == {"mean_image"}
