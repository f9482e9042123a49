# What a student believed: Whatever goes wrong with a sample, its structure differs.
# caught by: test_fa_collate
# reads: An error of a sample or of stack reaches the caller unchanged, without a retry.
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
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        try:
            return rebuild(first, [fa_collate(column) for column in zip(*samples)])
        except Exception as problem:
            raise ValueError("the samples of a batch cannot be collated") from problem
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch
