# What a student believed: A sample is an image and a label.
# caught by: test_collate
# reads: Every part of a tuple is collated, also the third.
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        columns = list(zip(*samples))[:2]
        return type(first)(collate(column) for column in columns)
    return stack_samples(samples)
