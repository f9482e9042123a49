# What a student believed: A sample is an image and a label.
# caught by: test_collate
# reads: Tuples give a tuple and lists give a list, with each part collated; 1-tuples give a
# 1-tuple.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        columns = list(zip(*samples))[:2]
        return getattr(first, "_make", type(first))(collate(column) for column in columns)
    return stack_samples(samples)
