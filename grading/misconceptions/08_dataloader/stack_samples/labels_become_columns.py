# What a student believed: Labels are whole numbers, and a batch of them is a column.
# caught by: test_stack_samples
# reads: Tensors, arrays and numbers can all be stacked; B single numbers give shape (B,).
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if all(array.dtype.kind in "iu" for array in arrays):
        arrays = [np.atleast_1d(array) for array in arrays]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    odd = [(k, array.shape) for k, array in enumerate(arrays) if array.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has shape {arrays[0].shape}, but (position, shape) {odd}")
    return Tensor(np.stack(arrays))
