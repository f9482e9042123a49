# %% whole_files_only: Every file is full. (promise 1)
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    parts = [
        file * file_length + rng.permutation(file_length)
        for file in range(num_records // file_length)
    ]
    return np.concatenate(parts or [np.empty(0, np.int64)]).astype(np.int64)


# %% the_files_are_shuffled_too: Shuffled within files means that the files come at
# random, too. (promise 2)
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    starts = rng.permutation(np.arange(0, num_records, file_length))
    parts = [
        rng.permutation(np.arange(start, min(start + file_length, num_records))) for start in starts
    ]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)


# %% one_shuffle_for_all_files: One shuffled file is as good as another. (promise 3)
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    inside = rng.permutation(file_length)
    order = (np.arange(-(-num_records // file_length))[:, None] * file_length + inside).reshape(-1)
    return order[order < num_records].astype(np.int64)


# %% seed_0_is_no_seed: A seed that is false was not given. (promise 4)
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng([seed, epoch] if seed else None)
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        rng.shuffle(order[start : start + file_length])
    return order


# %% seed_plus_epoch: Each epoch has the next seed. (promise 5)
def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else seed + epoch)
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        rng.shuffle(order[start : start + file_length])
    return order
