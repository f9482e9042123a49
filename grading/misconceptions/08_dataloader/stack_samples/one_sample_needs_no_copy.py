# What a student believed: A batch of one sample is that sample with another shape, so nothing has
# to be copied.
# caught by: test_stack_samples
# reads: Even a batch of one sample has memory of its own.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if len(arrays) == 0:
        raise ValueError("a batch needs at least one sample, got none")
    if len(arrays) == 1:
        return Tensor(arrays[0][np.newaxis])
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"position {k} has shape {array.shape}, position 0 has {arrays[0].shape}"
            )
    return Tensor(np.stack(arrays))
