# What a student believed: A batch is always a tuple.
# caught by: test_collate
# reads: Samples that are no tuple, list or dict go to stack_samples; the batch is a bare Tensor.
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
        columns = [column[0] if type(column) is tuple else column for column in columns]
        return getattr(first, "_make", type(first))(columns)
    return (stack_samples(samples),)
