# What the student believed: a list that was handed over may be used up.
# breaks: what any caller expects; indices = [3, 4, 9]; index_runs(indices) is right,
# and indices is [] afterwards.
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
