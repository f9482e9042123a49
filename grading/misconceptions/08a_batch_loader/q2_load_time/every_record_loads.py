# What a student believed: In a shuffled order every record costs a load.
# caught by: test_q2_load_time
# reads: Q2: four of five records lie in another file than the one before, and each costs a load.
def load_time():
    return (50_000 * 0.050, "s")
