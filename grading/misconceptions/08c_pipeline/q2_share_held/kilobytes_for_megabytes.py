# What a student believed: A buffer of 2048 MB has 2048 kB.
# caught by: test_q2_share_held
# reads: Q2: the files that fit, divided by all files.
def share_held() -> tuple[float, str]:
    return 100 * (2048e3 / 110e3) / 1.2e6, "%"
