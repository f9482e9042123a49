# %% miss_rate: A rate is loads divided by records. (promise 1)
def hit_rate(loads, num_records):
    if num_records < 1:
        raise ValueError(f"no records, got {num_records}")
    return loads / num_records


# %% no_records_no_hits: The rate of nothing is 0. (promise 2)
def hit_rate(loads, num_records):
    return 1 - loads / num_records if num_records else 0.0
