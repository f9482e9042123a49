# What a student believed: All dicts have the keys of the first one.
# caught by: test_collate
# reads: Tuples or lists of different lengths, and dicts with different keys, raise ValueError.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", type(first))(collate(column) for column in zip(*samples))
    return stack_samples(samples)
