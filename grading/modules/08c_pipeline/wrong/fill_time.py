# %% mebibytes: A megabyte is 2**20 bytes. (promise 1)
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 2**20 / bytes_per_second
