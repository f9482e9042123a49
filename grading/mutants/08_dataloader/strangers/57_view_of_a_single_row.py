# What the student believed: for a single index a slice is as good as a gather.
# breaks: "memory of its own": a batch of one row, such as the last of 33 samples by 32,
# is a view; writing into it changes the dataset.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    """Return rows `indices` of every tensor."""
    indices = np.asarray(indices, dtype=np.int64)
    if ((indices < 0) | (indices >= len(dataset))).any():
        raise IndexError(f"an index is outside 0..{len(dataset) - 1}")
    if len(indices) == 1:
        row = int(indices[0])
        return tuple(Tensor(t.data[row : row + 1]) for t in dataset.tensors)
    return tuple(Tensor(np.take(t.data, indices, axis=0)) for t in dataset.tensors)
