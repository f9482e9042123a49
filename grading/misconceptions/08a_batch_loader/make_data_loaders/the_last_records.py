# What a student believed: Validation takes the first records, so training takes the last.
# caught by: test_make_data_loaders
# reads: training_records = n makes training a SliceBatchLoader of the first n records; n may be 0.
def make_data_loaders(experiment_config, hparams=None):
    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str))
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    files = sorted(folder.glob("data_batch_*"))
    if not files:
        raise FileNotFoundError(f"data.path: no data_batch_* in {folder}")
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(f"training_records: {training_records} of {len(training)}")
        skipped = len(training) - training_records
        training = SliceBatchLoader(training, skipped, training_records)
    return training, CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
