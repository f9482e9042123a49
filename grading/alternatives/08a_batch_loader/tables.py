# Records with attributes, ranges as values, tables.
class Batch:
    def __init__(self, inputs, outputs):
        from types import SimpleNamespace

        def column(side, name, array):
            label = f"{side}[{name!r}]"
            return SimpleNamespace(
                side=side,
                name=name,
                array=array,
                label=label,
                size=first_dimension(label, array),
            )

        given = {"inputs": ("input", inputs), "outputs": ("output", outputs)}
        columns = [
            column(side, name, np.asarray(array))
            for side, (default, arrays) in given.items()
            for name, array in dict(
                arrays if isinstance(arrays, Mapping) else {default: arrays}
            ).items()
        ]
        if not columns:
            raise ValueError("a Batch needs an array in inputs or in outputs, got none")
        sizes = [column.size for column in columns]
        if min(sizes) != max(sizes):
            raise ValueError(
                "all arrays of a Batch need the same first dimension, got "
                + ", ".join(f"{each.label} {each.size}" for each in columns)
            )
        self.inputs, self.outputs = (
            {each.name: each.array for each in columns if each.side == side} for side in given
        )

    def __len__(self) -> int:
        return max(map(len, [*self.inputs.values(), *self.outputs.values()]))


class ArrayBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        for array in self._maps:
            rows(array, np.empty(0, np.int64))
        check_range(start, end, self.length)
        part = slice(start, end)
        return Batch(
            *(
                dict(zip(side, (array[part] for array in side.values())))
                for side in (self.inputs, self.outputs)
            )
        )


class SliceBatchLoader:
    def __init__(self, loader, start: int, length: int):
        if start < 0 or length < 0 or len(loader) < start + length:
            raise ValueError(
                f"records {start}:{start + length} (start {start}, length {length}) are"
                f" no slice of a loader of {len(loader)}"
            )
        self.loader, self.window = loader, range(start, start + length)

    def __len__(self) -> int:
        return len(self.window)

    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        behind = self.window[start:end]
        return self.loader.get_batch(behind.start, behind.stop)


def make_data_loaders(
    experiment_config, hparams: Mapping[str, Any] | None = None
) -> tuple[BatchLoader, BatchLoader]:
    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str)).expanduser()
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)

    lengths = {"file_length": file_length, "test_file_length": test_file_length}
    for key, value in {**lengths, "cache_size": cache_size}.items():
        if value < 1:
            raise ValueError(f"data.{key} is an integer of 1 or more, got {value}")

    def loader(paths, length):
        return CIFAR10BatchLoader(paths, length, cache_size=cache_size)

    files = list(folder.glob("data_batch_*"))
    files.sort()
    if len(files) == 0:
        raise FileNotFoundError(f"data.path: the folder {folder} has no training file data_batch_*")
    everything = loader(files, file_length)
    validation = loader([folder / "test_batch"], test_file_length)
    if training_records is None:
        return everything, validation
    if training_records not in range(len(everything) + 1):
        raise ValueError(f"training_records is 0 to {len(everything)}, got {training_records}")
    return SliceBatchLoader(everything, 0, training_records), validation


class BatchLoaderDataset:
    def __getitem__(self, index: int) -> tuple:
        if not -1 < index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        batch = self.loader.get_batch(index, index + 1)
        inputs = dict(batch.inputs)
        outputs = dict(batch.outputs)
        for side in (inputs, outputs):
            for name in side:
                (side[name],) = side[name].copy()
        return as_sample(inputs, "input"), as_sample(outputs, "output")

    def __getitems__(self, indices: Sequence[int]) -> tuple:
        wanted, places = np.unique(np.array(indices, dtype=np.int64), return_inverse=True)
        for index in wanted.tolist():
            if index not in range(len(self)):
                raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        runs = index_runs(wanted.tolist())
        if not runs:
            runs = [(0, 0)]
        return assemble([self.loader.get_batch(*run) for run in runs], places)


def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    held, loads = [], 0  # files in memory, the newest last
    for first in range(0, len(order), batch_size):
        asked = np.unique(np.asarray(order[first : first + batch_size]) // file_length)
        for file in asked.tolist():
            if file in held:
                held.remove(file)
            else:
                loads += 1
            held = [*held, file][-cache_size:]
    return loads


def plot_file_loads(records: Mapping[str, int], ax=None):
    ax = new_axes(ax)
    table = list(records.items())
    ax.set_yscale("log")
    ax.bar(
        range(len(table)),
        [loads for _, loads in table],
        tick_label=[name for name, _ in table],
    )
    ax.set_xlabel("access pattern")
    ax.set_ylabel("file loads per epoch")
    return ax


def plot_hit_rate(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        table = {"size": [], "percent": []}
        for size, rate in points:
            table["size"].append(size)
            table["percent"].append(rate * 100)
        ax.plot(*table.values(), marker="o", label=name)
    ax.set_xlabel("cache size (files)")
    ax.set_ylabel("hit rate (%)")
    ax.set_ylim(0, 100)
    ax.legend()
    return ax
