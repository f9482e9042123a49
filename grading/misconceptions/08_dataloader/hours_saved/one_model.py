# What a student believed: The larger batch saves the difference of the two times, however many
# models there are.
# caught by: test_hours_saved
# reads: Each model saves the hours before minus the hours after.
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return hours_before - hours_after
