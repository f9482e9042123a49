# What a student believed: A list of numbers is a row, not a structure.
# caught by: test_collate
# reads: Tuples give a tuple and lists give a list, with each part collated; 1-tuples give a
# 1-tuple.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, tuple):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", tuple)([collate(column) for column in zip(*samples)])
    return stack_samples(samples)
