# What a student believed: NumPy refuses every index that is not there, so no check is needed.
# caught by: test_gather_samples
# reads: An index outside 0..N-1 raises IndexError; a negative index does too.
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    return tuple(Tensor(tensor.data[indices]) for tensor in dataset.tensors)
