# What a student believed: Every mapping is a dict.
# caught by: test_fa_convert
# reads: Mappings keep their type, and their parts are converted.
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, dict):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
