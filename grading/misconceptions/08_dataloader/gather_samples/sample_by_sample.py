# What a student believed: A gather reads the samples of a batch and stacks them.
# caught by: test_gather_samples
# reads: Row k of the batch is sample indices[k]; no indices give 0 rows.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    if any(not 0 <= i < len(dataset) for i in indices):
        raise IndexError(
            f"an index of {list(indices)} is out of range for dataset of size {len(dataset)}"
        )
    columns = zip(*[dataset[int(i)] for i in indices])
    return tuple(Tensor(np.stack([part.data for part in column])) for column in columns)
