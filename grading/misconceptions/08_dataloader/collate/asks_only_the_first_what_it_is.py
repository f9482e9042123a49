# What a student believed: What the first sample is, all others are too.
# caught by: test_collate
# reads: Samples of different kinds (tuple, list, dict, plain value) raise ValueError: [(1, 2),
# [3, 4]].
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        make = getattr(first, "_make", type(first))
        return make(collate(column) for column in zip(*samples))
    return stack_samples(samples)
