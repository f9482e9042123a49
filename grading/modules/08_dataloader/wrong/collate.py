# %% bare_samples_get_a_tuple: A batch is always a tuple. (promises 1, 7)
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


# %% lists_become_tuples: A batch of several parts is a tuple. (promise 2)
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        columns = (collate(column) for column in zip(*samples))
        return first._make(columns) if hasattr(first, "_make") else tuple(columns)
    return stack_samples(samples)


# %% named_tuples_become_tuples: A named tuple is a tuple. (promise 3)
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
        return columns if isinstance(first, list) else tuple(columns)
    return stack_samples(samples)


# %% one_level_deep: The parts of a sample are arrays or numbers, which stack_samples
# takes. (promise 6)
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


# %% zip_stops_at_the_shortest: zip takes care of samples with unequal numbers of parts.
# (promise 8)
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        return getattr(first, "_make", type(first))(collate(column) for column in zip(*samples))
    return stack_samples(samples)


# %% asks_only_the_first_what_it_is: What the first sample is, all others are too.
# (promise 9)
def collate(samples: Sequence):
    first = samples[0] if len(samples) else None
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("samples of a batch need the same keys")
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("samples of a batch need the same number of parts")
        make = getattr(first, "_make", type(first))
        return make(collate(column) for column in zip(*samples))
    return stack_samples(samples)
