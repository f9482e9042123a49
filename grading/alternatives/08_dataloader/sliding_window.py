# Vectorised: windows are views that are picked, orders are sorted random numbers, images are views
# of rows.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        frame = np.zeros(
            (x.shape[0], x.shape[1] + 2 * self.padding, x.shape[2] + 2 * self.padding), x.dtype
        )
        frame[
            :, self.padding : self.padding + x.shape[1], self.padding : self.padding + x.shape[2]
        ] = x
        if np.any(np.array(self.size) > frame.shape[1:]):
            raise ValueError(
                f"crop of {self.size} does not fit into the padded image of {frame.shape[1:]}"
            )
        windows = np.lib.stride_tricks.sliding_window_view(frame, self.size, axis=(1, 2))
        top, left = (rng.random(2) * windows.shape[1:3]).astype(int)
        return like(image, windows[:, top, left].copy())


class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        flip = (self.rng if rng is None else rng).random() < self.p
        columns = np.arange(x.shape[-1])
        return like(image, np.take(x, columns[::-1] if flip else columns, axis=-1))


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"there is no epoch of {num_samples} samples")
    keys = (
        np.random.default_rng(seed if seed is None else (seed, epoch)).random(num_samples)
        if shuffle
        else np.zeros(num_samples)
    )
    return np.argsort(keys, kind="stable").astype(np.int64)


def to_images(rows: np.ndarray) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(
        rows := np.ascontiguousarray(rows), (len(rows), 3, 32, 32), (3072, 1024, 32, 1)
    )


def stack_samples(values: Sequence) -> Tensor:
    if len(values) == 0:
        raise ValueError("nothing to stack")
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    shapes = [array.shape for array in arrays]
    if shapes.count(shapes[0]) != len(shapes):
        odd = {position: shape for position, shape in enumerate(shapes) if shape != shapes[0]}
        raise ValueError(f"shapes differ from position 0, which has {shapes[0]}: {odd}")
    return Tensor(np.concatenate([array[None] for array in arrays]))


def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    rows = np.asarray(indices, dtype=np.intp)
    if np.any((rows < 0) | (rows >= len(dataset))):
        raise IndexError(f"indices must be 0 to {len(dataset) - 1}, got {rows}")
    return tuple([Tensor(tensor.data[rows]) for tensor in dataset.tensors])
