# What a student believed: A pixel is a byte.
# caught by: test_q1_batch_memory
# reads: Q1: a batch has 128 x 3 x 32 x 32 numbers of 4 bytes.
def batch_memory():
    return (128 * 3 * 32 * 32 / 1e3, "kB")
