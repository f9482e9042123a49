# What a student believed: Two numbers are an answer.
# caught by: test_find_the_place
# reads: The answer is a dict with the keys "read" and "plan".
def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    rows = batches * batch_size
    return rows * bytes_per_file / bytes_per_second, rows * microseconds_per_row * 1e-6
