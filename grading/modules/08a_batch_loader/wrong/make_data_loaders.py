# %% all_batches_are_training: *_batch* finds the training files. (promises 2, 6)
def make_data_loaders(experiment_config, hparams=None):
    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str))
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    files = sorted(folder.glob("*_batch*"))
    if not files:
        raise FileNotFoundError(f"data.path: no data_batch_* in {folder}")
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(f"training_records: {training_records} of {len(training)}")
        training = SliceBatchLoader(training, 0, training_records)
    return training, CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )


# %% zero_means_all: training_records is true if it is given. (promise 5)
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
    if training_records:
        if not 0 <= training_records <= len(training):
            raise ValueError(f"training_records: 0 to {len(training)}, got {training_records}")
        training = SliceBatchLoader(training, 0, training_records)
    return training, validation


# %% no_files_no_records: A folder without files gives a loader without records.
# (promise 7)
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


# %% as_many_as_there_are: More records than there are means all of them. (promise 8)
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
    if training_records is not None:
        training_records = max(0, min(training_records, len(training)))
        training = SliceBatchLoader(training, 0, training_records)
    return training, validation


# %% every_failure_is_a_wrong_folder: If the loaders cannot be made, the folder is
# wrong. (promise 9)
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
    try:
        training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
        validation = CIFAR10BatchLoader(
            [folder / "test_batch"], test_file_length, cache_size=cache_size
        )
    except (OSError, ValueError) as problem:
        raise FileNotFoundError(f"data.path: {folder} is no dataset") from problem
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(f"training_records: 0 to {len(training)}, got {training_records}")
        training = SliceBatchLoader(training, 0, training_records)
    return training, validation
