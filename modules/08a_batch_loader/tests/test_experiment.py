"""Promises of make_data_loaders. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.datasets import write_batch
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_experiment")


# A Path, not its text: files that a test hands over as a Path can be read in the
# grader's sandbox, too.
@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(("data_batch_2", "data_batch_1", "test_batch")):
        write_batch(tmp_path / name, np.zeros((4, 3072), np.uint8), [number] * 4)
    return tmp_path


def test_training_and_validation_are_a_pair(tt, folder):
    training, validation = tt.make_data_loaders(
        {"data": {"path": folder, "file_length": 4}}, {}
    )
    got = (
        training.get_batch(0, 8).outputs["output"].tolist(),
        validation.get_batch(0, 4).outputs["output"].tolist(),
    )
    expect(
        got == ([1] * 4 + [0] * 4, [2] * 4),
        "Training is data_batch_1, data_batch_2, ... in order, validation is"
        " test_batch.",
        call="make_data_loaders(config, {})",
        got=got,
        want=([1] * 4 + [0] * 4, [2] * 4),
    )


def test_an_experiment_file_is_read(tt, folder):
    path = folder / "experiment.yaml"
    path.write_text(
        f"data:\n  path: '{folder.as_posix()}'\n  file_length: 4\n  cache_size: 2\n",
        encoding="utf-8",
    )
    training, validation = tt.make_data_loaders(path, {})
    got = len(training), len(validation)
    expect(
        got == (8, 4),
        "The configuration may be the path of a YAML file.",
        call="make_data_loaders('experiment.yaml', {})",
        got=got,
        want=(8, 4),
    )


def test_a_hyperparameter_limits_the_training_records(tt, folder):
    config = {"data": {"path": folder, "file_length": 4}}
    got = [
        len(tt.make_data_loaders(config, hparams)[0])
        for hparams in (
            {"training_records": 5},
            {"training_records": None},
            {"lr": 0.1},
        )
    ]
    expect(
        got == [5, 8, 8],
        "training_records takes the first so many records; without it all are taken.",
        call="len(training) for 5, None, nothing",
        got=got,
        want=[5, 8, 8],
    )


def test_errors_name_the_key(tt, folder):
    tt.make_data_loaders({"data": {"path": folder, "file_length": 4}}, {})
    expect_raises(
        ValueError,
        lambda: tt.make_data_loaders({"data": {}}, {}),
        "A missing key is named.",
        says="data.path",
        call='make_data_loaders({"data": {}}, {})',
    )
    expect_raises(
        FileNotFoundError,
        lambda: tt.make_data_loaders({"data": {"path": folder / "nowhere"}}, {}),
        "A folder without training files is refused by key and name.",
        says=["data.path", "nowhere"],
        call='make_data_loaders({"data": {"path": ".../nowhere"}}, {})',
    )
    config = {"data": {"path": folder, "file_length": 4}}
    for wrong in (9, -1, "5"):
        expect_raises(
            ValueError,
            lambda: tt.make_data_loaders(config, {"training_records": wrong}),
            "A wrong number of training records is refused by key and value.",
            says=["training_records", str(wrong)],
            call=(
                f'make_data_loaders(config, {{"training_records": {wrong!r}}}), 8'
                " records"
            ),
        )
