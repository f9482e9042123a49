# What a student believed: After the change the workers set the pace.
# caught by: test_q2_overlap
# reads: Q2: before, loading and step one after the other; after, the slower of the two.
def overlap_speed_up():
    return ((32 * 6 + 50) / (32 * 6 / 4), "x")
