# What a student believed: np.stack of Tensors' arrays gives a Tensor.
# caught by: test_stack_samples
# reads: The batch is a Tensor of shape (B, ...) with value k in row k.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    odd = [(k, array.shape) for k, array in enumerate(arrays) if array.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has shape {arrays[0].shape}, but (position, shape) {odd}")
    return np.stack(arrays)
