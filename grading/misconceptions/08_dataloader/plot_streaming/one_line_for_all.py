# What a student believed: One ax.plot call draws all the points there are.
# caught by: test_plot_streaming
# reads: Memory is drawn in MB, a line for each way of loading.
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
