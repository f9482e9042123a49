# %% hours_that_are_left: What counts is how long all trainings take with hidden
# loading. (promise 1)
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return models * hours * max(loading, rest) / (loading + rest)


# %% saved_by_the_factor: A run that is 1.6 times as fast saves 0.6 of its hours.
# (promise 1)
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    factor = (loading + rest) / max(loading, rest)
    return models * hours * (factor - 1)


# %% all_loading_is_hidden: Loading in the background takes no time, however slow it is.
# (promise 2)
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return models * hours * loading / (loading + rest)
