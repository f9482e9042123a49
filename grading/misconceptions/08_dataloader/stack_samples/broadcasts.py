# What a student believed: NumPy fits a shape of (1,) into any row.
# caught by: test_stack_samples
# reads: Different shapes raise a ValueError that names each position whose shape differs from
# position 0, and all their shapes.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    batch = np.empty((len(arrays), *shape), np.result_type(*arrays))
    for k, array in enumerate(arrays):
        batch[k] = array
    return Tensor(batch)
