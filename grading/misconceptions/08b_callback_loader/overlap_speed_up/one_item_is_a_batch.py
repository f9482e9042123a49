# What a student believed: A batch is loaded in the time of an item.
# caught by: test_overlap_speed_up
# reads: Without workers, a batch takes the seconds of all its items and of the step.
def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    alone = item_seconds + step_seconds
    return alone / max(item_seconds * batch_size / num_workers, step_seconds)
