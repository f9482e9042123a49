# What a student believed: Every file is full.
# caught by: test_within_files_order
# reads: An order is an int64 array that holds every index 0..N-1 once.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    parts = [
        file * file_length + rng.permutation(file_length)
        for file in range(num_records // file_length)
    ]
    return np.concatenate(parts or [np.empty(0, np.int64)]).astype(np.int64)
