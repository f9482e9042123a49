# What a student believed: Three hits for one load are a rate of three.
# caught by: test_sequential_hit_rate
# reads: All batches of a file but the first are hits.
def sequential_hit_rate(file_length, batch_size):
    return file_length / batch_size - 1
