# What a student believed: What counts is how long all trainings take with hidden loading.
# caught by: test_hours_saved
# reads: Each model saves the share of its hours that hidden loading took.
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return models * hours * max(loading, rest) / (loading + rest)
