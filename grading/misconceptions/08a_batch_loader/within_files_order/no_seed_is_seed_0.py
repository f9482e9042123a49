# What a student believed: Without a seed the seed is 0.
# caught by: test_within_files_order
# reads: Without a seed the order is new each time.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng([seed or 0, epoch])
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        rng.shuffle(order[start : start + file_length])
    return order
