# What a student believed: An int64 takes 64 bytes.
# caught by: test_q3_shuffle_memory
# reads: Q3: an index in an int64 array takes 8 bytes.
def shuffle_memory():
    return {"array": (10_000_000 * 64, "B"), "list": (10_000_000 * (8 + 32), "B")}
