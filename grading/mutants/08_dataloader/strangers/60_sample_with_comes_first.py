# What the student believed: a dataset with sample_with wants its samples one by one.
# breaks: "where the dataset has `__getitems__` and the loader no `collate_fn`, call it
# **once** for the batch": a CIFAR10Dataset without transform, a MemmapDataset, or any
# dataset that has both, is read sample by sample.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    """Load one batch, with a single `__getitems__` where the dataset offers it."""
    dataset = loader.dataset
    one_by_one = hasattr(dataset, "sample_with") or loader.collate_fn is not None
    if one_by_one or not hasattr(dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
