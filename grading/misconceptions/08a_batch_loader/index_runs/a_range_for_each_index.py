# What a student believed: An index is a range of one record.
# caught by: test_index_runs
# reads: Neighbors share a range, so there are as few as possible.
def index_runs(indices):
    return [(int(index), int(index) + 1) for index in indices]
