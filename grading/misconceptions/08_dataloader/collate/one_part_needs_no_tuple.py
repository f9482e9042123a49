# What a student believed: A tuple with one part is that part.
# caught by: test_collate
# reads: Tuples give a tuple and lists give a list, with each part collated; 1-tuples give a
# 1-tuple.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        columns = [collate(column) for column in zip(*samples)]
        return columns[0] if len(columns) == 1 else getattr(first, "_make", type(first))(columns)
    return stack_samples(samples)
