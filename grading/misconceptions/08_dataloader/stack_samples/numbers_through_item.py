# What a student believed: A single number is taken out of its array with .item().
# caught by: test_stack_samples
# reads: The dtype is kept: bytes stay bytes, integers stay integers.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [np.asarray(value.data if isinstance(value, Tensor) else value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    odd = [f"position {k}: {a.shape}" for k, a in enumerate(arrays) if a.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has {arrays[0].shape}, but {', '.join(odd)}")
    if arrays[0].ndim == 0:
        return Tensor(np.array([array.item() for array in arrays]))
    return Tensor(np.stack(arrays))
