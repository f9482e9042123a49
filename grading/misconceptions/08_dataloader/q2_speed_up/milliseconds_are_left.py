# What a student believed: The answer to "how much faster" is the time of a step without loading.
# caught by: test_q2_speed_up
# reads: An answer is a pair (number, unit) in ratio.
def speed_up():
    return (30 + 35 + 10, "ms")
