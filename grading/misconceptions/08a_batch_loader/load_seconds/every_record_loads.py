# What a student believed: In a shuffled order every record costs a load.
# caught by: test_load_seconds
# reads: A record costs a load if its file is not held.
def load_seconds(records, files, slots, seconds_per_load):
    return records * seconds_per_load
