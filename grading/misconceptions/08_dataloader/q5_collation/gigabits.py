# What a student believed: 20 GB/s are 20 gigabits a second.
# caught by: test_q5_collation
# reads: Q5: the time is the bytes divided by the bandwidth.
def collation_cost():
    written = 128 * 3 * 224 * 224 * 4
    return {"bytes": (written, "B"), "time": (written * 8 / 20e9, "s")}
