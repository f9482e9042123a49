# What the student believed: `if start` asks whether there is a run.
# breaks: "which together hold exactly these indices"; index_runs([0, 1, 5]) is
# [(1, 2), (5, 6)]: a run that starts at 0 is lost.
def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    runs = []
    start = end = None
    for index in indices:
        index = int(index)
        if start and index == end:
            end += 1
        else:
            if start:
                runs.append((start, end))
            start, end = index, index + 1
    if start:
        runs.append((start, end))
    return runs
