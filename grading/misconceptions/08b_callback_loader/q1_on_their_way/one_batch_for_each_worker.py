# What a student believed: Each worker has one batch.
# caught by: test_q1_on_their_way
# reads: Q1: 8 batches of 64 images, each of 3 x 224 x 224 numbers of 4 bytes.
def bytes_on_their_way():
    return (4 * 64 * 3 * 224 * 224 * 4, "B")
