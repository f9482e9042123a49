# %% last_run_forgotten: A run is noted when the next one begins. (promise 1)
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


# %% a_range_for_each_index: An index is a range of one record. (promise 2)
def index_runs(indices):
    return [(int(index), int(index) + 1) for index in indices]


# %% nothing_for_nothing: Without indices there is nothing to return. (promise 3)
def index_runs(indices):
    wanted = np.asarray(indices, dtype=np.int64)
    if len(wanted) == 0:
        return None
    gaps = np.flatnonzero(np.diff(wanted) != 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(wanted, gaps)]


# %% a_list_may_be_used_up: A list that was handed over may be used up. (promise 4)
def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    left = indices if isinstance(indices, list) else [int(index) for index in indices]
    runs = []
    while left:
        start = end = left.pop(0)
        end += 1
        while left and left[0] == end:
            left.pop(0)
            end += 1
        runs.append((start, end))
    return runs
