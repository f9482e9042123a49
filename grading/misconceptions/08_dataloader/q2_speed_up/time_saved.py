# What a student believed: Hiding 45 of 120 ms makes training 45/120 faster.
# caught by: test_q2_speed_up
# reads: Q2: the time before, divided by the time that is left.
def speed_up():
    return (100 * 45 / (45 + 30 + 35 + 10), "%")
