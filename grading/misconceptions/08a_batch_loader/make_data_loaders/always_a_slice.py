# What a student believed: A slice of everything is everything.
# caught by: test_make_data_loaders
# reads: The result is a pair of CIFAR10BatchLoaders.
def make_data_loaders(experiment_config, hparams=None):
    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str)).expanduser()
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)
    files = sorted(folder.glob("data_batch_*"))
    if not files:
        raise FileNotFoundError(f"data.path: no data_batch_* in {folder}")
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    if training_records is None:
        training_records = len(training)
    if not 0 <= training_records <= len(training):
        raise ValueError(f"training_records: 0 to {len(training)}, got {training_records}")
    training = SliceBatchLoader(training, 0, training_records)
    return training, validation
