# What the student believed: all samples are of the type of the first, so only lengths
# and keys can differ.
# breaks: "Samples of unequal structure ... raise `ValueError`": collate([(1, 2), 5])
# is a TypeError, and collate([(1, 2), np.array([3, 4])]) takes the array apart.
def collate(samples: Sequence):
    """Return one batch with the structure of a sample."""
    if len(samples) == 0:
        raise ValueError("cannot collate an empty list of samples")
    first = samples[0]
    if isinstance(first, dict):
        if any(s.keys() != first.keys() for s in samples):
            raise ValueError("the dicts have other keys")
        return {key: collate([s[key] for s in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if any(len(s) != len(first) for s in samples):
            raise ValueError("the samples have unequal lengths")
        parts = [collate(column) for column in zip(*samples)]
        return tuple(parts) if isinstance(first, tuple) else parts
    return stack_samples(samples)
