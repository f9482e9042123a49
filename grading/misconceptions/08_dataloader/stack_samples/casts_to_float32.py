# What a student believed: A batch goes into a network, so it is float32.
# caught by: test_stack_samples
# reads: The dtype is kept: bytes stay bytes, integers stay integers.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [
        np.asarray(value.data if isinstance(value, Tensor) else value, dtype=np.float32)
        for value in values
    ]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"position {k} has shape {array.shape}, position 0 has {arrays[0].shape}"
            )
    return Tensor(np.stack(arrays))
