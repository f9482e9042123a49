# What the student believed: type(first)(parts) makes a tuple of every kind of tuple.
# breaks: "for tuples a tuple": samples that are named tuples (Sample(image, label))
# raise a TypeError, since a named tuple takes its fields one by one.
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
        return {key: collate([s[key] for s in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if any(len(s) != len(first) for s in samples):
            raise ValueError("the samples have unequal lengths")
        return type(first)(collate(column) for column in zip(*samples))
    return stack_samples(samples)
