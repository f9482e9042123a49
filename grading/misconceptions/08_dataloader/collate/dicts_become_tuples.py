# What a student believed: The values of a dict are what the model wants, so they are handed on as a
# tuple.
# caught by: test_collate
# reads: A dict gives a dict with the same keys, in whatever order a sample has them.
def collate(samples: Sequence):
    if len(samples) and isinstance(samples[0], dict):
        samples = [tuple(sample.values()) for sample in samples]
    if len(samples) and isinstance(samples[0], (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(samples[0], "_make", type(samples[0]))(
            collate(column) for column in zip(*samples)
        )
    return stack_samples(samples)
