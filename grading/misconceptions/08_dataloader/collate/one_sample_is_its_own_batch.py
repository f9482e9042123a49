# What a student believed: With a batch of one sample there is nothing to collate.
# caught by: test_collate
# reads: One sample is a batch too: its leaves are stacked.
def collate(samples: Sequence):
    if len(samples) == 1:
        return samples[0]
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", type(first))(collate(column) for column in zip(*samples))
    return stack_samples(samples)
