# %% mebibytes: A megabyte is 2**20 bytes. (promise 1)
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 2**20 / bytes_per_second


# %% multiplied: Time is bytes times bytes per second. (promise 1)
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 1e6 * bytes_per_second


# %% whole_seconds: A time in seconds is a whole number. (promise 1)
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 10**6 // bytes_per_second
