# What a student believed: A run that is 1.6 times as fast saves 0.6 of its hours.
# caught by: test_hours_saved
# reads: Each model saves the share of its hours that hidden loading took.
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    factor = (loading + rest) / max(loading, rest)
    return models * hours * (factor - 1)
