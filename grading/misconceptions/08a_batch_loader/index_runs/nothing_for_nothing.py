# What a student believed: Without indices there is nothing to return.
# caught by: test_index_runs
# reads: The result is a list; no indices give [].
def index_runs(indices):
    wanted = np.asarray(indices, dtype=np.int64)
    if len(wanted) == 0:
        return None
    gaps = np.flatnonzero(np.diff(wanted) != 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(wanted, gaps)]
