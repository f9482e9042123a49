# What a student believed: A megabyte is 2**20 bytes.
# caught by: test_fill_time
# reads: The time is the bytes of the buffer divided by the bytes per second.
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 2**20 / bytes_per_second
