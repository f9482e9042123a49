# What the student believed: a factor is stated with one decimal.
# breaks: "an answer may be off by 1%": 10 ms of loading, then 20, 15 and 5 ms: 1.25,
# rounded to 1.2 (4% less).
def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    """Return how many times faster a step is when its loading is hidden."""
    after = forward + backward + optimizer
    return round((loading + after) / after, 1)
