# What a student believed: load_one_by_one only reads and collates; the transform comes at the end
# for both ways.
# caught by: test_load_batch
# reads: A batch goes through batch_transform once, however it was loaded.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is None and hasattr(loader.dataset, "__getitems__"):
        batch = loader.dataset.__getitems__(indices)
        if isinstance(batch, list):
            batch = loader._collate_batch(batch)
    else:
        batch = load_one_by_one(loader, indices, key)
    return transform_batch(loader.batch_transform, batch, key, indices)
