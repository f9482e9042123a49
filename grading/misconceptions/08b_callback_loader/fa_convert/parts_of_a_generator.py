# What a student believed: A generator is as good as a list.
# caught by: test_fa_convert
# reads: Sequences (tuple, list, namedtuple ...) keep their type, ranges become lists; their parts
# are converted.
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, (fa_convert(part) for part in batch))
    return batch
