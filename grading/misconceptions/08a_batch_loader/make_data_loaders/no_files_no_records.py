# What a student believed: A folder without files gives a loader without records.
# caught by: test_make_data_loaders
# reads: A folder without training files raises FileNotFoundError with data.path and the folder.
def make_data_loaders(experiment_config, hparams=None):
    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str))
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    training = CIFAR10BatchLoader(
        sorted(folder.glob("data_batch_*")), file_length, cache_size=cache_size
    )
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(f"training_records: {training_records} of {len(training)}")
        training = SliceBatchLoader(training, 0, training_records)
    return training, CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
