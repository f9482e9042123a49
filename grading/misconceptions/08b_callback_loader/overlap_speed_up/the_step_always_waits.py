# What a student believed: Workers make loading faster, and loading and step still add up.
# caught by: test_overlap_speed_up
# reads: With workers, loading is shared equally, and the slower of loading and step sets the pace.
def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    load_seconds = item_seconds * batch_size
    return (load_seconds + step_seconds) / (load_seconds / num_workers + step_seconds)
