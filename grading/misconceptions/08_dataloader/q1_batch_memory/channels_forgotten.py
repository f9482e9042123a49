# What a student believed: An image of 32 x 32 pixels has 1,024 numbers.
# caught by: test_q1_batch_memory
# reads: Q1: a batch has 128 x 3 x 32 x 32 numbers of 4 bytes.
def batch_memory():
    return (128 * 32 * 32 * 4, "B")
