# What a student believed: The parts of a sample are arrays or numbers, which stack_samples takes.
# caught by: test_collate
# reads: Structures inside structures are collated too.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: stack_samples([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        return getattr(first, "_make", type(first))(
            stack_samples(column) for column in zip(*samples)
        )
    return stack_samples(samples)
