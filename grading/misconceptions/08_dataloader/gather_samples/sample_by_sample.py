# What a student believed: A gather reads the samples of a batch and stacks them.
# caught by: test_each_tensor_is_read_once
# reads: A gather reads no sample one by one: one NumPy call for each tensor.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    if any(not 0 <= i < len(dataset) for i in indices):
        raise IndexError(
            f"an index of {list(indices)} is out of range for dataset of size {len(dataset)}"
        )
    columns = zip(*[dataset[int(i)] for i in indices])
    return tuple(Tensor(np.stack([part.data for part in column])) for column in columns)
