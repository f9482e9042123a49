# %% bytes_are_numbers: Bytes are a sequence of numbers. (promise 1)
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, str):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return rebuild(
            first, {key: fa_collate([sample[key] for sample in samples]) for key in first}
        )
    if isinstance(first, Sequence):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch


# %% mappings_become_dicts: A dict is as good as any other mapping. (promise 2)
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return {key: fa_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, Sequence):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch


# %% namedtuple_is_a_tuple: A namedtuple is a tuple, so a tuple will do. (promises 3,
# 10)
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return rebuild(
            first, {key: fa_collate([sample[key] for sample in samples]) for key in first}
        )
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        columns = [fa_collate(column) for column in zip(*samples)]
        return tuple(columns) if isinstance(first, tuple) else columns
    return type(first)(stack(samples).data) if isinstance(first, Tensor) else stack(samples)


# %% labels_through_item: item() gives the number of a NumPy scalar. (promise 4)
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return rebuild(
            first, {key: fa_collate([sample[key] for sample in samples]) for key in first}
        )
    if isinstance(first, Sequence):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    if isinstance(first, np.generic):
        return stack([sample.item() for sample in samples])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch


# %% one_sample_is_a_view: A single array needs one more axis and no copy. (promise 6)
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return rebuild(
            first, {key: fa_collate([sample[key] for sample in samples]) for key in first}
        )
    if isinstance(first, Sequence):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError("the samples of a batch need equally many parts")
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    if len(samples) == 1 and isinstance(first, np.ndarray):
        return Tensor(first[None])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch


# %% zip_will_complain: zip complains when tuples are not equally long. (promise 8)
def fa_collate(samples: Sequence):
    if not len(samples):
        raise ValueError("a batch needs at least one sample")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError("the samples of a batch need the same keys")
        return rebuild(
            first, {key: fa_collate([sample[key] for sample in samples]) for key in first}
        )
    if isinstance(first, Sequence):
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    return type(first)(stack(samples).data) if isinstance(first, Tensor) else stack(samples)
