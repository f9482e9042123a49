# What a student believed: Each batch is one thing to read.
# caught by: test_find_the_place
# reads: Reading again takes the bytes of these files divided by the bytes per second.
def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    return {
        "read": batches * bytes_per_file / bytes_per_second,
        "plan": batches * microseconds_per_row * 1e-6,
    }
