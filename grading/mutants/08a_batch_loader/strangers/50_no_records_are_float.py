# What the student believed: np.array of a list of ints is an array of ints.
# breaks: "is an int64 array" with "num_records: 0 or more";
# within_files_order(0, 10).dtype is float64.
def within_files_order(
    num_records: int, file_length: int, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    order = []
    for first in range(0, num_records, file_length):
        records = list(range(first, min(first + file_length, num_records)))
        rng.shuffle(records)
        order.extend(records)
    return np.array(order)
