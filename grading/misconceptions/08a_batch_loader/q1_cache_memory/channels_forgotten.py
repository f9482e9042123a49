# What a student believed: An image has 32 x 32 bytes.
# caught by: test_q1_cache_memory
# reads: Q1: five files of 10,000 images of 3,072 bytes.
def cache_memory():
    return (5 * 10_000 * 32 * 32, "B")
