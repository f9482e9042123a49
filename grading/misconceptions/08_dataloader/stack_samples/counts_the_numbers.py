# What a student believed: Two shapes with as many numbers are one shape.
# caught by: test_stack_samples
# reads: Different shapes raise a ValueError that names each position whose shape differs from
# position 0, and all their shapes.
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    first = arrays[0]
    odd = [f"position {k}: {a.shape}" for k, a in enumerate(arrays) if a.size != first.size]
    if odd:
        raise ValueError(f"position 0 has {first.shape}, but {', '.join(odd)}")
    return Tensor(np.stack([array.reshape(first.shape) for array in arrays]))
