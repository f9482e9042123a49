# What the student believed: a model computes in float32, so float64 is a waste in a
# batch.
# breaks: "dtype kept": stack_samples([np.zeros(2), np.ones(2)]) is float32; integers,
# bytes and float32 pass.
def stack_samples(values: Sequence) -> Tensor:
    """Return one Tensor of shape (B, ...)."""
    arrays = [v.data if isinstance(v, Tensor) else np.asarray(v) for v in values]
    if not arrays:
        raise ValueError("cannot stack an empty list")
    first = arrays[0].shape
    odd = [(k, a.shape) for k, a in enumerate(arrays) if a.shape != first]
    if odd:
        raise ValueError(
            f"samples need one shape; position 0 has {first}, "
            + ", ".join(f"position {k} has {shape}" for k, shape in odd)
        )
    batch = np.stack(arrays)
    if batch.dtype == np.float64:
        batch = batch.astype(np.float32)
    return Tensor(batch)
