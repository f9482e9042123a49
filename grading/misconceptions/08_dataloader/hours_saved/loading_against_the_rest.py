# What a student believed: The share of the loading is its time, divided by that of the rest.
# caught by: test_hours_saved
# reads: Each model saves the share of its hours that hidden loading took.
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return models * hours * min(loading, rest) / rest
