# What the student believed: CIFAR-10 has five training files.
# breaks: "training over every `data_batch_*` file of the folder"; a folder with
# data_batch_1 to data_batch_6: the sixth is left out.
def make_data_loaders(
    experiment_config, hparams: Mapping[str, Any] | None = None
) -> tuple[BatchLoader, BatchLoader]:
    from tinytorch.data.experiment import read_experiment, require

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str)).expanduser()
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    training_records = require(hparams or {}, "training_records", int, default=None)
    files = [folder / f"data_batch_{number}" for number in range(1, 6)]
    files = [path for path in files if path.exists()]
    if not files:
        raise FileNotFoundError(f"data.path: no data_batch_* file in {folder}")
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(
                f"training_records must be 0 to {len(training)}, got {training_records}"
            )
        training = SliceBatchLoader(training, 0, training_records)
    return training, validation
