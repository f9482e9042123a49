# What a student believed: A namedtuple is a tuple, so a tuple will do.
# caught by: test_fa_convert
# reads: Mappings keep their type, and their parts are converted.
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return {key: fa_convert(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        parts = [fa_convert(part) for part in batch]
        return tuple(parts) if isinstance(batch, tuple) else parts
    return batch
