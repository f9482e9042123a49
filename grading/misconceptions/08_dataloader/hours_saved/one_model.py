# What a student believed: Hidden loading shortens each run by its share, however many models there
# are.
# caught by: test_hours_saved
# reads: Each model saves the share of its hours that hidden loading took.
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    return hours * min(loading, rest) / (loading + rest)
