# Style: index arrays, masks and reshapes instead of loops and branches.


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples is {num_samples}, but must be 0 or more")
    if not shuffle:
        return np.cumsum(np.ones(num_samples, np.int64)) - 1
    source = np.random.SeedSequence(None if seed is None else int(seed), spawn_key=(int(epoch),))
    weights = np.random.Generator(np.random.Philox(source)).random(num_samples)
    return np.argsort(weights, kind="stable").astype(np.int64, copy=False)


def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if len(arrays) == 0:
        raise ValueError("no values to stack")
    same = np.array([array.shape == arrays[0].shape for array in arrays])
    if not same.all():
        odd = {int(k): arrays[k].shape for k in np.flatnonzero(~same)}
        raise ValueError(
            f"one shape is needed: position 0 has {arrays[0].shape}, "
            + ", ".join(f"position {k} has {shape}" for k, shape in odd.items())
        )
    return Tensor(np.concatenate([array[np.newaxis] for array in arrays], axis=0))


def to_images(rows: np.ndarray) -> np.ndarray:
    planes = np.split(rows, 3, axis=1)
    return np.stack([plane.reshape(len(rows), 32, 32) for plane in planes], axis=1)


class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        flat = np.moveaxis(x, 1, 0).reshape(x.shape[1], -1).astype(np.float64)
        self.mean = flat.mean(axis=1)
        centered = flat - self.mean[:, None]
        self.std = np.sqrt(np.einsum("ck,ck->c", centered, centered) / flat.shape[1])
        return self

    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        channel = 0 if x.ndim in (1, 3) else 1
        last = np.moveaxis(x, channel, -1)  # (..., C) broadcasts against (C,)
        scaled = ((last - self.mean) / (self.std + self.eps)).astype(np.float32)
        return like(data, np.ascontiguousarray(np.moveaxis(scaled, -1, channel)))


class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5, seed: int | None = None):
        if not (p >= 0 and p <= 1):
            raise ValueError(f"p must be between 0 and 1, got {p}")
        self.p, self.rng = p, np.random.default_rng(seed)

    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        columns = np.arange(x.shape[-1])
        columns = np.where(rng.random() < self.p, columns[::-1], columns)
        return like(image, np.take(x, columns, axis=-1))


class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        frame = np.array(x.shape[1:]) + 2 * self.padding
        places = frame - (height, width) + 1
        if (places < 1).any():
            raise ValueError(
                f"cannot cut {(height, width)} out of the padded image {tuple(frame.tolist())}"
            )
        top, left = (int(rng.random() * choices) for choices in places.tolist())
        rows = np.arange(top, top + height) - self.padding
        columns = np.arange(left, left + width) - self.padding
        inside = ((rows >= 0) & (rows < x.shape[1]))[:, None] & (
            (columns >= 0) & (columns < x.shape[2])
        )
        out = np.zeros((len(x), height, width), x.dtype)
        r, c = np.nonzero(inside)
        out[:, r, c] = x[:, rows[r], columns[c]]
        return like(image, out)


def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    # as unsigned numbers, negative ones are huge
    if (indices.view(np.uint64) >= len(dataset)).any():
        raise IndexError(f"an index of {indices.tolist()} is outside 0..{len(dataset) - 1}")
    return tuple(Tensor(tensor.data[indices]) for tensor in dataset.tensors)
