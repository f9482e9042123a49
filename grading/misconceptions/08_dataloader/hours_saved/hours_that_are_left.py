# What a student believed: What counts is how long all trainings take with the larger batch.
# caught by: test_hours_saved
# reads: Each model saves the hours before minus the hours after.
def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return models * hours_after
