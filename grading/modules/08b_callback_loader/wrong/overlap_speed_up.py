# %% the_share_of_the_old_time: How many times faster is the new time over the old one.
# (promise 1)
def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    load_seconds = item_seconds * batch_size
    return max(load_seconds / num_workers, step_seconds) / (load_seconds + step_seconds)


# %% loading_alone_counts: After the change the workers set the pace. (promise 2)
def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    load_seconds = item_seconds * batch_size
    return (load_seconds + step_seconds) / (load_seconds / num_workers)
