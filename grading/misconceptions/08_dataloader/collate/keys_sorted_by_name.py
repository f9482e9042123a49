# What a student believed: Sorted keys are the same in every sample, so a batch has them sorted.
# caught by: test_collate
# reads: Keys stand in the order of the first sample.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    structures = (tuple, list, dict)
    if len({tuple(isinstance(sample, s) for s in structures) for sample in samples}) > 1:
        raise ValueError("samples of a batch need one structure")
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in sorted(first)}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        make = getattr(first, "_make", type(first))
        return make(collate(column) for column in zip(*samples))
    return stack_samples(samples)
