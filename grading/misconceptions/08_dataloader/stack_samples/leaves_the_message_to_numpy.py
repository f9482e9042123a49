# What a student believed: np.stack refuses different shapes by itself, and its message will do.
# caught by: test_stack_samples
# reads: Different shapes raise a ValueError that names each position whose shape differs from
# position 0, and all their shapes.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    return Tensor(np.stack(arrays))
