# What a student believed: A batch of one sample is that sample with another shape, so nothing has
# to be copied.
# caught by: test_stack_samples
# reads: A batch has new memory, even for one value: writing into a batch changes no value and no
# other batch.
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
