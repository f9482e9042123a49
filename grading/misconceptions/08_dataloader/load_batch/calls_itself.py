# What a student believed: `loader._load` is still the way of Part A.
# caught by: test_load_batch
# reads: With a collate_fn, the samples are read one by one, and collate_fn collates them.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return loader._load(indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
