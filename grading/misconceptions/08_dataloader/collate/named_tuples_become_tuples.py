# What a student believed: A named tuple is a tuple.
# caught by: test_collate
# reads: A named tuple gives a named tuple of the same class.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        columns = [collate(column) for column in zip(*samples)]
        return columns if isinstance(first, list) else tuple(columns)
    return stack_samples(samples)
