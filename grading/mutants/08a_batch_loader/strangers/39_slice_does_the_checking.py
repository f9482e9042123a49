# What the student believed: SliceBatchLoader raises a ValueError already.
# breaks: "ValueError that names `training_records` and the value";
# hparams={"training_records": 51} of 50: the message is a slice's, without the key.
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
    files = sorted(folder.glob("data_batch_*"))
    if not files:
        raise FileNotFoundError(f"no training files: data.path is {folder}")
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    if training_records is not None:
        training = SliceBatchLoader(training, 0, training_records)
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    return training, validation
