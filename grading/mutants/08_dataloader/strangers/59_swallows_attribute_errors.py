# What the student believed: try it; an AttributeError means that there is no
# __getitems__.
# breaks: "where the dataset has `__getitems__` ... call it **once**": an AttributeError
# raised inside of __getitems__ (None.shape, a misspelled attribute) is swallowed, and
# the batch is read again one by one.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    """Load one batch, with a single `__getitems__` where the dataset offers it."""
    if loader.collate_fn is not None:
        return load_one_by_one(loader, indices, key)
    try:
        batch = loader.dataset.__getitems__(indices)
    except AttributeError:
        return load_one_by_one(loader, indices, key)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
