# What a student believed: Shuffled within files means that the files come at random, too.
# caught by: test_within_files_order
# reads: All records of one file come before those of the next; the last file may be short.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    starts = rng.permutation(np.arange(0, num_records, file_length))
    parts = [
        rng.permutation(np.arange(start, min(start + file_length, num_records))) for start in starts
    ]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)
