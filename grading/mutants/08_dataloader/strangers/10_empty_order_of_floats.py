# What the student believed: an array made of a list of ints is always an int array.
# breaks: "int64 array of shape (N,)": epoch_order(0, False) and epoch_order(0, True)
# are float64, since np.array([]) is; as indices they raise an IndexError.
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    """Return the order in which one epoch visits the samples."""
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = list(range(num_samples))
    if shuffle:
        rng = np.random.default_rng(None if seed is None else [seed, epoch])
        rng.shuffle(order)
    return np.array(order)
