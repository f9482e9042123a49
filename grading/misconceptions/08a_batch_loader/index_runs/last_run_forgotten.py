# What a student believed: A run is noted when the next one begins.
# caught by: test_index_runs
# reads: The ranges hold exactly the indices, in order.
def index_runs(indices):
    runs, start, last = [], None, None
    for index in indices:
        if start is None:
            start = index
        elif index != last + 1:
            runs.append((start, last + 1))
            start = index
        last = index
    return runs
