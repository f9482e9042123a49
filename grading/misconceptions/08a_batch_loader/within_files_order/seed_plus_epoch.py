# What a student believed: Each epoch has the next seed.
# caught by: test_within_files_order
# reads: Another seed or epoch gives another order: seed 0, epoch 1 is not seed 1, epoch 0.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else seed + epoch)
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        rng.shuffle(order[start : start + file_length])
    return order
