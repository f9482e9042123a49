# What a student believed: Nine hits for one load are a rate of nine.
# caught by: test_q3_hit_rate
# reads: Q3: a file has ten batches, and the first of them loads it.
def sequential_hit_rate():
    return (9, "x")
