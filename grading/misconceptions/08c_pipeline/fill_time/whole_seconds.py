# What a student believed: A time in seconds is a whole number.
# caught by: test_fill_time
# reads: The time is the bytes of the buffer divided by the bytes per second.
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 10**6 // bytes_per_second
