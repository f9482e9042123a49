# What the student believed: what does not fill a file is left as it is.
# breaks: "within a file the order is random ... The last file may be short.";
# within_files_order(150, 100, seed=0)[100:] is 100, 101, ..., 149 for every seed.
def within_files_order(
    num_records: int, file_length: int, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    order = np.arange(num_records, dtype=np.int64)
    whole = num_records // file_length * file_length
    files = order[:whole].reshape(-1, file_length)
    order[:whole] = rng.permuted(files, axis=1).reshape(-1)
    return order
