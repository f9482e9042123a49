# What a student believed: us stands for thousandths of a second.
# caught by: test_find_the_place
# reads: Planning again takes microseconds_per_row for each of these rows.
def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    rows = batches * batch_size
    return {
        "read": rows * bytes_per_file / bytes_per_second,
        "plan": rows * microseconds_per_row * 1e-3,
    }
