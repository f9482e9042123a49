# What a student believed: All values have the dtype of the first.
# caught by: test_stack_samples
# reads: If the dtypes differ, NumPy chooses the common dtype: [1, 2.5] gives floats.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    different = [
        f"position {k} has {array.shape}"
        for k, array in enumerate(arrays)
        if array.shape != arrays[0].shape
    ]
    if different:
        raise ValueError(f"position 0 has {arrays[0].shape}, {', '.join(different)}")
    batch = np.empty((len(arrays), *arrays[0].shape), arrays[0].dtype)
    for k, array in enumerate(arrays):
        batch[k] = array
    return Tensor(batch)
