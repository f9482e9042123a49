# What a student believed: A list is as good as a tuple.
# caught by: test_fa_collate
# reads: Mappings become a mapping of that type; each key's values are collated.
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return {key: fa_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, Sequence):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        return [fa_collate(column) for column in zip(*samples)]
    return type(first)(stack(samples).data) if isinstance(first, Tensor) else stack(samples)
