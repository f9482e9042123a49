# Functional: reduce, map and small lambdas instead of loops and local variables.
from functools import reduce


class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        def step(image, numbered):
            position, transform = numbered
            settings = (
                {"rng": at_position(rng, position)}
                if rng is not None and accepts(transform, "rng")
                else {}
            )
            return transform(image, **settings)

        return reduce(step, enumerate(self.transforms), image)


def collate(samples: Sequence):
    samples = list(samples)
    kinds = {dict: collate_dicts, tuple: collate_rows, list: collate_rows}
    if len({tuple(map(lambda kind: isinstance(sample, kind), kinds)) for sample in samples}) > 1:
        raise ValueError("the samples of a batch are of different kinds")
    collates = [kinds[kind] for kind in kinds if samples and isinstance(samples[0], kind)]
    return (collates or [stack_samples])[0](samples)


def collate_dicts(samples: list):
    keys = list(samples[0])
    if not all(set(sample) == set(keys) for sample in samples):
        raise ValueError("the samples of a batch have different keys")
    return dict(zip(keys, map(lambda key: collate([sample[key] for sample in samples]), keys)))


def collate_rows(samples: list):
    columns = map(collate, zip(*samples, strict=True))
    like = samples[0]
    return (
        like._replace(**dict(zip(like._fields, columns)))
        if hasattr(like, "_fields")
        else (type(like)(columns))
    )


class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        def merge(a, b):
            (n_a, m_a, s_a), (n_b, m_b, s_b) = a, b
            n, d = n_a + n_b, m_b - m_a
            return n, m_a + d * n_b / n, s_a + s_b + d**2 * n_a * n_b / n

        def facts(batch):
            columns = np.moveaxis(images_of(batch), 1, 0).reshape(images_of(batch).shape[1], -1)
            return (
                columns.shape[1],
                columns.mean(axis=1),
                ((columns.T - columns.mean(axis=1)) ** 2).sum(axis=0),
            )

        count, mean, squares = reduce(merge, map(facts, loader), (0, 0.0, 0.0))
        if not count:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean = mean
        self.std = np.sqrt(squares / count)
        return self

    def transform(self, data):
        if self.std is None:
            raise RuntimeError("no statistics yet: call fit first")
        return like(data, self._scaled(as_array(data)))

    def _scaled(self, x):
        return np.divide(
            x - self._along(self.mean, x), self._along(self.std + self.eps, x), dtype=np.float32
        )


class Subset:
    def __getitem__(self, index: int):
        if index in range(len(self)):
            return self.dataset[self.indices[index]]
        raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")


def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    gather = getattr(loader.dataset, "__getitems__", None)
    if gather is None or loader.collate_fn:
        return load_one_by_one(loader, indices, key)
    found = gather(indices)
    return transform_batch(
        loader.batch_transform, collate(found) if isinstance(found, list) else found, key, indices
    )
