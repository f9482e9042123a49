# What a student believed: One shuffled file is as good as another.
# caught by: test_within_files_order
# reads: Within a file every order is possible, and each file has an order of its own.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    inside = rng.permutation(file_length)
    order = (np.arange(-(-num_records // file_length))[:, None] * file_length + inside).reshape(-1)
    return order[order < num_records].astype(np.int64)
