# What a student believed: A part that begins elsewhere is shuffled.
# caught by: test_within_files_order
# reads: Within a file every order is possible, and each file has an order of its own.
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        part = order[start : start + file_length]
        part[:] = np.roll(part, rng.integers(1, file_length + 1))
    return order
