# What the student believed: dicts with the same keys give their values in the same
# order.
# breaks: "for dicts a dict with the same keys, of collated parts":
# collate([{"a": 1, "b": 2}, {"b": 3, "a": 4}]) mixes a and b: {"a": [1 3], "b": [2 4]}.
def collate(samples: Sequence):
    """Return one batch with the structure of a sample."""
    if not samples:
        raise ValueError("cannot collate an empty list of samples")
    first = samples[0]
    for kind in (tuple, list, dict):
        if isinstance(first, kind) and not all(isinstance(s, kind) for s in samples):
            raise ValueError("samples of a batch need one structure")
    if isinstance(first, dict):
        if any(set(s) != set(first) for s in samples):
            raise ValueError("the dicts have other keys")
        columns = zip(*(s.values() for s in samples))
        return {key: collate(column) for key, column in zip(first, columns)}
    if isinstance(first, (tuple, list)):
        if any(len(s) != len(first) for s in samples):
            raise ValueError("the samples have unequal lengths")
        parts = [collate(column) for column in zip(*samples)]
        return tuple(parts) if isinstance(first, tuple) else parts
    return stack_samples(samples)
