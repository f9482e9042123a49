# What a student believed: Networks compute in float32.
# caught by: test_fa_convert
# reads: An array becomes a Tensor that keeps its dtype.
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch.astype(np.float32))
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
