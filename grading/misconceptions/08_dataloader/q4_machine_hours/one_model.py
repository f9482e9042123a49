# What a student believed: The larger batch saves 14 - 6 hours a day.
# caught by: test_q4_machine_hours
# reads: Q4: each of the 100 models saves 14 - 6 hours.
def machine_hours_saved():
    return (14 - 6, "h")
