# What a student believed: The time follows from the bytes, so the bytes are the answer.
# caught by: test_q5_collation
# reads: Q5 is answered in bytes and in time.
def collation_cost():
    return {"bytes": (128 * 3 * 224 * 224 * 4 / 1e6, "MB")}
