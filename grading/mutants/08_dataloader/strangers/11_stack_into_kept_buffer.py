# What the student believed: making a new batch each time is slow; one buffer for each
# shape can be filled again and again.
# breaks: "in memory of its own" / "the memory is new": the second call with the same
# shape overwrites the first batch: a = stack_samples([1, 2]);
# b = stack_samples([3, 4]); now a is [3 4].
_buffers = {}


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
    kind = (len(arrays), first, arrays[0].dtype)
    if kind not in _buffers:
        _buffers[kind] = np.empty((len(arrays), *first), arrays[0].dtype)
    return Tensor(np.stack(arrays, out=_buffers[kind]))
