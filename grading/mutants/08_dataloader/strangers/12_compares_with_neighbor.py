# What the student believed: comparing each shape with the one before finds the odd
# ones.
# breaks: "names each position whose shape differs from the first": shapes (2,), (3,),
# (3,), (2,): it leaves out position 2, and names position 3, which has the shape of
# the first.
def stack_samples(values: Sequence) -> Tensor:
    """Return one Tensor of shape (B, ...)."""
    arrays = [v.data if isinstance(v, Tensor) else np.asarray(v) for v in values]
    if not arrays:
        raise ValueError("cannot stack an empty list")
    odd = [
        f"position {k} has {arrays[k].shape}"
        for k in range(1, len(arrays))
        if arrays[k].shape != arrays[k - 1].shape
    ]
    if odd:
        raise ValueError(
            f"samples need one shape; position 0 has {arrays[0].shape}, " + ", ".join(odd)
        )
    return Tensor(np.stack(arrays))
