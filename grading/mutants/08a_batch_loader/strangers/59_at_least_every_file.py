# What the student believed: an epoch reads every file at least once.
# breaks: "slots of the files are in memory at any time"; those that are held cost no
# load: load_seconds(10, 5, 4, 1.0) is 5.0, on average it is 10 * 1/5 = 2.0.
def load_seconds(records: int, files: int, slots: int, seconds_per_load: float) -> float:
    loads = records * (files - slots) / files
    return max(loads, files) * seconds_per_load
