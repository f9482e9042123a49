# What a student believed: A list and a tuple of Tensors are the same.
# caught by: test_gather_samples
# reads: A gathered batch is a tuple with a Tensor for each of dataset.tensors.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if np.any(indices < 0):
        raise IndexError(f"Index {indices.min()} out of range for dataset of size {len(dataset)}")
    return [Tensor(np.take(tensor.data, indices, axis=0)) for tensor in dataset.tensors]
