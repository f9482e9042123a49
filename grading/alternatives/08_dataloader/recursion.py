# Style: recursion wherever it can be had.


def _one_of(samples):
    first = samples[0]
    for kind in (tuple, list, dict):
        if isinstance(first, kind):
            return kind
    return object


def collate(samples: Sequence):
    if len(samples) == 0:
        raise ValueError("no samples to collate")
    kind = _one_of(samples)
    if kind is object:
        if any(isinstance(sample, (tuple, list, dict)) for sample in samples):
            raise ValueError("some samples are structures and others are not")
        return stack_samples(samples)
    if not all(isinstance(sample, kind) for sample in samples):
        raise ValueError(f"every sample must be a {kind.__name__}, as the first is")
    if kind is dict:
        if any(set(sample) != set(samples[0]) for sample in samples):
            raise ValueError("every sample must have the keys of the first")
        return {key: collate([sample[key] for sample in samples]) for key in samples[0]}
    if any(len(sample) != len(samples[0]) for sample in samples):
        raise ValueError("every sample must have as many parts as the first")

    def columns(k):
        if k == len(samples[0]):
            return []
        return [collate([sample[k] for sample in samples])] + columns(k + 1)

    return getattr(samples[0], "_make", kind)(columns(0))


class DataLoader:
    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        size = int(self.batch_size)
        count, rest = divmod(len(order), size)
        if rest and not self.drop_last:
            count += 1

        def between(first, end):
            # halves, so that a long epoch does not reach the recursion limit
            if end - first == 1:
                yield self._load(order[first * size : end * size], key)
            elif end > first:
                middle = (first + end) // 2
                yield from between(first, middle)
                yield from between(middle, end)

        yield from between(0, count)


class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        def read(names):
            if not names:
                return np.empty((0, 3, 32, 32), np.uint8), np.empty(0, np.int64)
            content = read_batch(folder / names[0])
            images, labels = read(names[1:])
            return (
                np.concatenate([to_images(content["data"]), images]),
                np.concatenate([np.asarray(content["labels"], np.int64), labels]),
            )

        self.images, self.labels = read(TRAIN_FILES if self.train else TEST_FILES)


class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        def merged(a, b):
            n = a[0] + b[0]
            d = b[1] - a[1]
            return (
                n,
                a[1] + d * (b[0] / n),
                a[2] + b[2] + d * d * (a[0] * b[0] / n),
            )

        def push(groups, new):
            # groups of falling size, like the bits of a counter: at most log2 of them
            if groups and groups[-1][0] <= new[0]:
                return push(groups[:-1], merged(groups[-1], new))
            return [*groups, new]

        def total(groups):
            return groups[0] if len(groups) == 1 else merged(groups[0], total(groups[1:]))

        groups = []
        for batch in loader:
            x = images_of(batch)
            axes = axes_but_channel(x.ndim)
            n = x.size // x.shape[1]
            groups = push(groups, (n, x.mean(axis=axes), x.var(axis=axes) * n))
        if not groups:
            raise ValueError("a loader without batches has no statistics")
        n, self.mean, squares = total(groups)
        self.std = np.sqrt(squares / n)
        return self


class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        def apply(k):
            if k == 0:
                return image
            before, transform = apply(k - 1), self.transforms[k - 1]
            if rng is not None and accepts(transform, "rng"):
                return transform(before, rng=at_position(rng, k - 1))
            return transform(before)

        return apply(len(self.transforms))


def _product(sides):
    return int(sides[0]) * _product(sides[1:]) if len(sides) else 1


def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return batch_size * _product(image_shape) * np.dtype(dtype).itemsize
