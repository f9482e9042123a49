# What a student believed: No samples make an empty batch.
# caught by: test_stack_samples
# reads: An empty list raises ValueError.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        return Tensor(np.empty((0,)))
    odd = [(k, array.shape) for k, array in enumerate(arrays) if array.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has shape {arrays[0].shape}, but (position, shape) {odd}")
    return Tensor(np.stack(arrays))
