# What a student believed: There is always a first sample.
# caught by: test_collate
# reads: An empty list of samples raises ValueError.
def collate(samples: Sequence):
    first = samples[0]
    kinds = (dict, tuple, list)
    if len({tuple(isinstance(sample, kind) for kind in kinds) for sample in samples}) > 1:
        raise ValueError("samples of a batch are of one kind")
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", type(first))([collate(column) for column in zip(*samples)])
    return stack_samples(samples)
