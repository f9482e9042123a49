# What the student believed: methods belong to the class, so ask the class for them.
# breaks: "where the dataset has `__getitems__`": a dataset that has it as an attribute
# of its own is read one by one, and one whose property says no (AttributeError), such
# as a CIFAR10Dataset with a transform or a Subset of a list, raises AttributeError.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    """Load one batch, with a single `__getitems__` where the dataset offers it."""
    if loader.collate_fn is None and hasattr(type(loader.dataset), "__getitems__"):
        batch = loader.dataset.__getitems__(indices)
        if isinstance(batch, list):
            batch = loader._collate_batch(batch)
        return transform_batch(loader.batch_transform, batch, key, indices)
    return load_one_by_one(loader, indices, key)
