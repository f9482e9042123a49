# %% hours_that_are_left: What counts is how long all trainings take with the larger
# batch. (promise 1)
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return models * hours_after


# %% one_model: The larger batch saves the difference of the two times, however many
# models there are. (promise 1)
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return hours_before - hours_after


# %% saving_in_percent: A saving is a percentage. (promise 1)
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return 100 * (hours_before - hours_after) / hours_before
