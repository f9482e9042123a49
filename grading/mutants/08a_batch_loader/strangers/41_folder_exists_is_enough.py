# What the student believed: if the folder is there, the files are, too.
# breaks: "No training file: FileNotFoundError"; an existing folder that holds only
# test_batch gives a training loader of 0 records.
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
    if not folder.is_dir():
        raise FileNotFoundError(f"data.path: there is no folder {folder}")
    training = CIFAR10BatchLoader(
        sorted(folder.glob("data_batch_*")), file_length, cache_size=cache_size
    )
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(f"training_records is 0 to {len(training)}, got {training_records}")
        training = SliceBatchLoader(training, 0, training_records)
    return training, validation
