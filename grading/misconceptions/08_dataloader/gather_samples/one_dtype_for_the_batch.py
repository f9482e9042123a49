# What a student believed: A batch is made for the network, so it is gathered into float32.
# caught by: test_gather_samples
# reads: A gather keeps the dtypes.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices.min() < 0 or indices.max() >= len(dataset)):
        raise IndexError(f"indices out of range for dataset of size {len(dataset)}")
    return tuple(Tensor(tensor.data[indices].astype(np.float32)) for tensor in dataset.tensors)
