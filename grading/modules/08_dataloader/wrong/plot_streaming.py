# %% time_without_unit: A time axis needs no unit. (promise 2)
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        seconds, held = zip(*points)
        ax.plot(seconds, np.array(held) / 1e6, label=name)
    ax.set(xlabel="time", ylabel="memory (MB)")
    ax.legend()
    return ax


# %% one_line_for_all: One ax.plot call draws all the points there are. (promise 3)
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    points = [point for run in records.values() for point in run]
    ax.plot(
        [seconds for seconds, _ in points],
        [held / 1e6 for _, held in points],
        label=", ".join(records),
    )
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.legend()
    return ax


# %% memory_over_the_batch_number: Points follow each other evenly, so their number will
# do for the time. (promise 4)
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        ax.plot([held / 1e6 for _, held in points], label=name)
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.legend()
    return ax


# %% limits_before_the_lines: Limits can be set in any order. (promise 6)
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.set_ylim(bottom=0)
    for name, points in records.items():
        ax.plot([s for s, _ in points], [held / 1e6 for _, held in points], label=name)
    ax.legend()
    return ax
