# What a student believed: Indices are sorted, so the first is the smallest.
# caught by: test_gather_samples
# reads: An index outside 0..N-1 raises IndexError; a negative index does too.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and indices[0] < 0:
        raise IndexError(f"Index {indices[0]} out of range for dataset of size {len(dataset)}")
    return tuple(Tensor(np.take(tensor.data, indices, axis=0)) for tensor in dataset.tensors)
