# What a student believed: A number of bytes is a number.
# caught by: test_q1_batch_memory
# reads: An answer is a pair (number, unit) in bytes.
def batch_memory():
    return 128 * 3 * 32 * 32 * 4
