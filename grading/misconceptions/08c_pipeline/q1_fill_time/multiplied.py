# What a student believed: Time is bytes times bytes per second.
# caught by: test_q1_fill_time
# reads: Q1: the time is the bytes of the buffer divided by the bytes per second.
def fill_time() -> tuple[float, str]:
    return 2048 * 160, "s"
