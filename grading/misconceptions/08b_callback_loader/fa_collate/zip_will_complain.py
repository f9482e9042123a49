# What a student believed: zip complains when tuples are not equally long.
# caught by: test_fa_collate
# reads: Sequences of unequal length raise ValueError.
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return rebuild(
            first, {key: fa_collate([sample[key] for sample in samples]) for key in first}
        )
    if isinstance(first, Sequence):
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    return type(first)(stack(samples).data) if isinstance(first, Tensor) else stack(samples)
