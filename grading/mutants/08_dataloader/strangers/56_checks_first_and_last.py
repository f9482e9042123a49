# What the student believed: the smallest index comes first and the largest last.
# breaks: "An index outside 0..N-1, a negative one too: `IndexError`": [3 -1 2] takes
# the last row for -1.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    """Return rows `indices` of every tensor."""
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices[0] < 0 or indices[-1] >= len(dataset)):
        raise IndexError(f"an index is outside 0..{len(dataset) - 1}")
    return tuple(Tensor(np.take(t.data, indices, axis=0)) for t in dataset.tensors)
