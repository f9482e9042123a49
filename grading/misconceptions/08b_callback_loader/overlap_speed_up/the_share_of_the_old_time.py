# What a student believed: How many times faster is the new time over the old one.
# caught by: test_overlap_speed_up
# reads: Without workers, a batch takes the seconds of all its items and of the step.
def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    load_seconds = item_seconds * batch_size
    return max(load_seconds / num_workers, step_seconds) / (load_seconds + step_seconds)
