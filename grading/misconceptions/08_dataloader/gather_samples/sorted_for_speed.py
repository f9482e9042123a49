# What a student believed: Reading rows from low to high is faster, and the order within a batch
# does not matter.
# caught by: test_gather_samples
# reads: Row k of the batch is sample indices[k]; no indices give 0 rows.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.sort(indices)
    if len(indices) and (indices[0] < 0 or indices[-1] >= len(dataset)):
        raise IndexError(
            f"indices {indices[0]} to {indices[-1]} out of range for dataset of size {len(dataset)}"
        )
    return tuple(Tensor(np.take(tensor.data, indices, axis=0)) for tensor in dataset.tensors)
