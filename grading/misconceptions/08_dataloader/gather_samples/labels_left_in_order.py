# What a student believed: Only the features need to be gathered; the labels are already in order.
# caught by: test_gather_samples
# reads: Row k of the batch is sample indices[k]; no indices give 0 rows.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices.min() < 0 or indices.max() >= len(dataset)):
        raise IndexError(f"indices out of range for dataset of size {len(dataset)}")
    features, *labels = dataset.tensors
    rows = Tensor(np.take(features.data, indices, axis=0))
    return (rows, *[Tensor(label.data[: len(indices)].copy()) for label in labels])
