# %% every_record_loads: In a shuffled order every record costs a load. (promise 1)
def load_seconds(records, files, slots, seconds_per_load):
    return records * seconds_per_load


# %% one_slot_in_mind: What matters is whether the next record is in the file of the
# last one. (promise 2)
def load_seconds(records, files, slots, seconds_per_load):
    return records * (1 - 1 / files) * seconds_per_load
