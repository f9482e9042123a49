# What a student believed: What counts is how much longer the computing takes than the loading.
# caught by: test_speed_up
# reads: The speed-up is the time before, divided by the time that is left.
def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    return (forward + backward + optimizer) / loading
