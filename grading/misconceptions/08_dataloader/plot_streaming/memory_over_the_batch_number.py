# What a student believed: Points follow each other evenly, so their number will do for the time.
# caught by: test_plot_streaming
# reads: Each point stands over its time.
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        ax.plot([held / 1e6 for _, held in points], label=name)
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.legend()
    return ax
