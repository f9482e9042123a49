# What a student believed: What matters is whether the next record is in the file of the last one.
# caught by: test_load_seconds
# reads: With more slots, fewer records cost a load.
def load_seconds(records, files, slots, seconds_per_load):
    return records * (1 - 1 / files) * seconds_per_load
