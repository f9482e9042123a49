# What a student believed: There is always an index.
# caught by: test_gather_samples
# reads: Row k of the batch is sample indices[k]; no indices give 0 rows.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if indices.min() < 0:
        raise IndexError(f"Index {indices.min()} out of range for dataset of size {len(dataset)}")
    return tuple(Tensor(np.take(tensor.data, indices, axis=0)) for tensor in dataset.tensors)
