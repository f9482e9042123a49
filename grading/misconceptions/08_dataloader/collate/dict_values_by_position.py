# What a student believed: The values of all dicts stand in one order.
# caught by: test_collate
# reads: A dict gives a dict with the same keys, in whatever order a sample has them.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        columns = zip(*(sample.values() for sample in samples))
        return {key: collate(column) for key, column in zip(first, columns)}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", type(first))([collate(column) for column in zip(*samples)])
    return stack_samples(samples)
