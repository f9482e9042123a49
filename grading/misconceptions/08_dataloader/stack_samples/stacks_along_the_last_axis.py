# What a student believed: A batch is stacked along its last axis.
# caught by: test_stack_samples
# reads: The batch is a Tensor of shape (B, ...) with value k in row k.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    odd = [f"position {k}: {a.shape}" for k, a in enumerate(arrays) if a.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has {arrays[0].shape}, but {', '.join(odd)}")
    return Tensor(np.stack(arrays, axis=-1))
