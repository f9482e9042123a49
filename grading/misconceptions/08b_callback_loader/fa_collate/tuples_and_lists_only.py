# What a student believed: A sequence is a tuple or a list.
# caught by: test_fa_collate
# reads: Sequences become one of that type, ranges a list; the values at each position are collated.
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
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch
