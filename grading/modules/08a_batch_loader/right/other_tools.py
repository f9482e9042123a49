# os and glob in place of pathlib, itertools and cumulative sums in place of divmod, bars and lines
# drawn one by one.


class FileCache:
    def _find(self, key):
        held = key in self._held
        if not held and len(self._held) == self.slots:
            del self._held[self.resident[0]]
        value = self._held[key] if held else self.load(key)
        self.hits, self.loads = self.hits + held, self.loads + (not held)
        self._held[key] = value
        self._held.move_to_end(key, last=True)
        return value


class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        pixels, labels = bytearray(), []
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            pixels += records["data"][first:last].tobytes()
            labels += records["labels"][first:last].tolist()
            records = None
        return Batch(
            np.frombuffer(pixels, np.uint8).reshape(-1, IMAGE_SIZE),
            np.array(labels, dtype=np.int64),
        )


def make_data_loaders(experiment_config, hparams=None):
    import glob

    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = os.path.expanduser(require(config, "data.path", str))
    file_length = require(config, "data.file_length", int, default=10000)
    settings = {"cache_size": require(config, "data.cache_size", int, default=1)}
    paths = glob.glob(os.path.join(folder, "data_batch_*"))
    if paths == []:
        raise FileNotFoundError("no training file in {} (key data.path)".format(folder))
    pair = [
        CIFAR10BatchLoader(sorted(paths), file_length, **settings),
        CIFAR10BatchLoader(
            [os.path.join(folder, "test_batch")],
            require(config, "data.test_file_length", int, default=file_length),
            **settings,
        ),
    ]
    most = trial_values(config, hparams).get("training_records")
    if most is not None:
        if most not in range(len(pair[0]) + 1):
            raise ValueError("training_records is {}, there are {}".format(most, len(pair[0])))
        pair[0] = SliceBatchLoader(pair[0], 0, most)
    return tuple(pair)


def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    records = np.arange(num_records)
    return np.lexsort((rng.random(num_records), records // file_length)).astype(np.int64)


def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    for pattern, loads in records.items():
        ax.bar(pattern, loads)
    ax.set(xlabel="access pattern", ylabel="file loads per epoch", yscale="log")
    return ax


def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern in records:
        points = np.array(records[pattern])
        ax.plot(points[:, 0], points[:, 1] * 100, "o-", label=pattern)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)", ylim=(0, 100))
    ax.legend(loc="best")
    return ax
