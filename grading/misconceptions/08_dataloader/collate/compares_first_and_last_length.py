# What a student believed: If the first and the last sample have one length, all have it.
# caught by: test_collate
# reads: Tuples or lists of different lengths, and dicts with different keys, raise ValueError.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len(first) != len(samples[-1]):
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", type(first))([collate(column) for column in zip(*samples)])
    return stack_samples(samples)
