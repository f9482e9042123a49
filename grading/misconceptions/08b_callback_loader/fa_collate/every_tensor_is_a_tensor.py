# What a student believed: A stacked Tensor is a Tensor, whatever the samples were.
# caught by: test_fa_collate
# reads: Tensors become one Tensor; Tensors of a subclass become one of that subclass.
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
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    return stack(samples)
