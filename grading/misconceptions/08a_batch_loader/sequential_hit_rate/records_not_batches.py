# What a student believed: Each record asks the cache.
# caught by: test_sequential_hit_rate
# reads: All batches of a file but the first are hits.
def sequential_hit_rate(file_length, batch_size):
    return 1 - 1 / file_length
