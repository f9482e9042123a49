# What a student believed: A seed that is false was not given.
# caught by: test_within_files_order
# reads: The same seed and epoch give the same order; epoch is 0 if left out.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng([seed, epoch] if seed else None)
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        rng.shuffle(order[start : start + file_length])
    return order
