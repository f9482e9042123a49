# What a student believed: __getitems__ is the faster way to get a sample.
# caught by: test_load_batch
# reads: A dataset with __getitems__ is asked once for a batch, with its indices.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    parts = [loader.dataset.__getitems__(indices[k : k + 1]) for k in range(len(indices))]
    batch = Tensor(np.concatenate([as_array(part) for part in parts]))
    return transform_batch(loader.batch_transform, batch, key, indices)
