# Style: match statements, the walrus operator, expressions that return early.
import numbers


class Subset:
    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int):
        match index, n := len(self):
            case i, size if 0 <= i < size:
                return self.dataset[self.indices[i]]
            case _:
                raise IndexError(f"Index {index} out of range for dataset of size {n}")


def collate(samples: Sequence):
    match list(samples):
        case []:
            raise ValueError("an empty list of samples makes no batch")
        case [tuple() as first, *others] if all(
            isinstance(s, tuple) and len(s) == len(first) for s in others
        ):
            make = getattr(first, "_make", tuple)
            return make(collate([s[k] for s in samples]) for k in range(len(first)))
        case [list() as first, *others] if all(
            isinstance(s, list) and len(s) == len(first) for s in others
        ):
            return [collate([s[k] for s in samples]) for k in range(len(first))]
        case [dict() as first, *others] if all(
            isinstance(s, dict) and set(s) == set(first) for s in others
        ):
            return {key: collate([s[key] for s in samples]) for key in first}
        case parts if any(isinstance(s, (tuple, list, dict)) for s in parts):
            raise ValueError("the samples of a batch differ in structure")
        case leaves:
            return stack_samples(leaves)


class DataLoader:
    def __init__(
        self,
        dataset,
        batch_size: int = 32,
        shuffle: bool = False,
        drop_last: bool = False,
        *,
        seed: int | None = None,
        collate_fn: Callable | None = None,
        prefetch: int = 0,
        batch_transform: Callable | None = None,
    ):
        match dataset:
            case object(__len__=_):
                pass
            case _:
                raise TypeError("dataset must have a length")
        match batch_size:
            case bool() | np.bool_():
                fine = False
            case numbers.Integral():
                fine = batch_size >= 1
            case _:
                fine = False
        if not fine:
            raise ValueError(f"batch_size must be an integer of 1 or more, got {batch_size}")
        if prefetch < 0:
            raise ValueError(f"prefetch must be 0 or more, got {prefetch}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.seed = seed
        self.collate_fn = collate_fn
        self.prefetch = prefetch
        self.batch_transform = batch_transform
        self.epoch = 0


def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    ax.semilogx([size for size, _ in records], [rate for _, rate in records], "o-", base=2)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("batch size (samples)")
    ax.set_ylabel("throughput (samples/s)")
    return ax


def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    from matplotlib.lines import Line2D

    (ax := new_axes(ax)).add_line(
        Line2D([size for size, _ in records], [held / 1e6 for _, held in records])
    )
    ax.autoscale_view()
    match sorted(records):
        case [(small, least), *_, (large, most)]:
            ax.set_title(f"{small} -> {large} samples: x{most / least:.0f} memory", loc="left")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    return ax


class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for k, transform in enumerate(self.transforms):
            match rng, accepts(transform, "rng"):
                case (None, _) | (_, False):
                    image = transform(image)
                case _:
                    image = transform(image, rng=at_position(rng, k))
        return image


def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if (
        loader.collate_fn is not None
        or (gather := getattr(loader.dataset, "__getitems__", None)) is None
    ):
        return load_one_by_one(loader, indices, key)
    match gather(indices):
        case list() as samples:
            batch = loader._collate_batch(samples)
        case batch:
            pass
    return transform_batch(loader.batch_transform, batch, key, indices)
