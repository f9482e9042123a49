# What a student believed: The first value with another shape is all one has to know.
# caught by: test_stack_samples
# reads: Different shapes raise a ValueError that names each position whose shape differs from
# position 0, and all their shapes.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"position {k} has shape {array.shape}, position 0 has {arrays[0].shape}"
            )
    return Tensor(np.stack(arrays))
