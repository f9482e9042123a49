# What a student believed: The rate of nothing is 0.
# caught by: test_hit_rate
# reads: A rate over no records raises ValueError.
def hit_rate(loads, num_records):
    return 1 - loads / num_records if num_records else 0.0
