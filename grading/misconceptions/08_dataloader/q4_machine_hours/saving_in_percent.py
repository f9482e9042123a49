# What a student believed: A saving is a percentage.
# caught by: test_q4_machine_hours
# reads: An answer is a pair (number, unit) in seconds.
def machine_hours_saved():
    return (100 * (14 - 6) / 14, "%")
