# What a student believed: A step that saves a share of its time is faster by that share.
# caught by: test_speed_up
# reads: The speed-up is the time before, divided by the time that is left.
def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    return 1 + loading / (loading + forward + backward + optimizer)
