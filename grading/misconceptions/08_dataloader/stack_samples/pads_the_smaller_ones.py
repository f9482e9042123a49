# What a student believed: A sample that is too small is filled up with zeros.
# caught by: test_stack_samples
# reads: Different shapes raise a ValueError that names each position whose shape differs from
# position 0, and all their shapes.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    largest = np.max([array.shape for array in arrays], axis=0).astype(int)
    batch = np.zeros((len(arrays), *largest), dtype=np.result_type(*arrays))
    for k, array in enumerate(arrays):
        batch[(k, *[slice(size) for size in array.shape])] = array
    return Tensor(batch)
