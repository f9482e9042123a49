# What a student believed: A batch is a tuple.
# caught by: test_fa_convert
# reads: Mappings keep their type, and their parts are converted.
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
