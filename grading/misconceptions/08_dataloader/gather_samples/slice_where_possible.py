# What a student believed: Rows in order can be had with a slice, which is faster than a gather.
# caught by: test_gather_samples
# reads: A batch has its own memory: changing it never changes the dataset.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices.min() < 0 or indices.max() >= len(dataset)):
        raise IndexError(f"indices out of range for dataset of size {len(dataset)}")
    if len(indices) and np.array_equal(indices, np.arange(indices[0], indices[0] + len(indices))):
        rows = slice(indices[0], indices[-1] + 1)
    else:
        rows = indices
    return tuple(Tensor(tensor.data[rows]) for tensor in dataset.tensors)
