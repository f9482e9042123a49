# %% loading_against_computing: What counts is how much longer the computing takes than
# the loading. (promise 1)
def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    return (forward + backward + optimizer) / loading


# %% milliseconds_are_left: The new time of a step is the answer. (promise 1)
def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    return forward + backward + optimizer


# %% time_saved: A step that saves a share of its time is faster by that share. (promise
# 1)
def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    return 1 + loading / (loading + forward + backward + optimizer)
