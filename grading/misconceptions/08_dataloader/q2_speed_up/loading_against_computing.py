# What a student believed: The speed-up is the step's time without loading, divided by the time of
# loading.
# caught by: test_q2_speed_up
# reads: Q2: the time before, divided by the time that is left.
def speed_up():
    loading, computing = 45, 30 + 35 + 10
    return (computing / loading, "x")
