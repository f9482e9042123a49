# What the student believed: whoever gives training_records wants fewer than all.
# breaks: "More than there are, or fewer than 0: ValueError"; as many as there are
# (training_records=50 of 50) raises one, too.
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
        raise FileNotFoundError(f"data.path: there is no data_batch_* in {folder}")
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    if training_records is None:
        return training, validation
    if training_records not in range(len(training)):
        raise ValueError(f"training_records = {training_records} is outside 0..{len(training)}")
    return SliceBatchLoader(training, 0, training_records), validation
