# What a student believed: A saving is a percentage.
# caught by: test_hours_saved
# reads: Each model saves the hours before minus the hours after.
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return 100 * (hours_before - hours_after) / hours_before
