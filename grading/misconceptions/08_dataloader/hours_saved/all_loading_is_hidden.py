# What a student believed: Loading in the background takes no time, however slow it is.
# caught by: test_hours_saved
# reads: Loading that takes longer than the rest is hidden only for as long as the rest lasts.
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return models * hours * loading / (loading + rest)
