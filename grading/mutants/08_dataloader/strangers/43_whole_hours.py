# What the student believed: hours are whole numbers.
# breaks: "-> hours, for all models", where hours are floats: 10 models, 3 hours each, 10 ms of
# loading and 50 ms of rest save 5 hours; this says 0.
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    """Return the machine hours that hidden loading saves, for all models."""
    return models * int(hours * min(loading, rest) / (loading + rest))
