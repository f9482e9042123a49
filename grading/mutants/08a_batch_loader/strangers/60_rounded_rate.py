# What the student believed: two digits are enough for a rate.
# breaks: "is hits / (hits + loads)"; sequential_hit_rate(10_000, 8) is 1.0 and not
# 0.9992: no load at all.
def sequential_hit_rate(file_length: int, batch_size: int) -> float:
    batches = file_length // batch_size
    return round((batches - 1) / batches, 2)
