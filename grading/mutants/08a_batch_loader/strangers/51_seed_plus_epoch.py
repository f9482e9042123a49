# What the student believed: seed + epoch is a seed for each pair.
# breaks: "another one in every file, epoch and seed"; within_files_order(100, 50, 0, 1)
# equals within_files_order(100, 50, 1, 0).
def within_files_order(
    num_records: int, file_length: int, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    rng = np.random.default_rng(None if seed is None else seed + epoch)
    parts = [
        first + rng.permutation(min(file_length, num_records - first))
        for first in range(0, num_records, file_length)
    ]
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)
