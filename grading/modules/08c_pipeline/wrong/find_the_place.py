# %% two_numbers: Two numbers are an answer. (promise 1)
def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    rows = batches * batch_size
    return rows * bytes_per_file / bytes_per_second, rows * microseconds_per_row * 1e-6


# %% batches_are_rows: Each batch is one thing to read. (promise 2)
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


# %% milliseconds: us stands for thousandths of a second. (promise 3)
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
