# What a student believed: What counts is how long the 100 trainings take with the larger batch.
# caught by: test_q4_machine_hours
# reads: Q4: each of the 100 models saves 14 - 6 hours.
def machine_hours_saved():
    return (100 * 6, "h")
