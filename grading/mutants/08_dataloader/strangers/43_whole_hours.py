# What the student believed: hours are whole numbers.
# breaks: "-> hours, for all models", where hours are floats: 10 models, 3 h before and
# 2.5 h after save 5 hours; this says 0.
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    """Return the machine hours that a faster training run saves."""
    return models * int(hours_before - hours_after)
