# What a student believed: A rate is loads divided by records.
# caught by: test_hit_rate
# reads: The hit rate is the fraction of records that needed no load.
def hit_rate(loads, num_records):
    if num_records < 1:
        raise ValueError(f"no records, got {num_records}")
    return loads / num_records
