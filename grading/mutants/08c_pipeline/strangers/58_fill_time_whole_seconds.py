# What the student believed: // is the division, and seconds are whole.
# breaks: "the seconds until a disk with that bandwidth has filled a buffer" (within
# 1%); fill_time(2048, 160e6) must be 12.8, here it is 12.0.
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    return buffer_size * 10**6 // bytes_per_second
