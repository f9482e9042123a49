# What a student believed: Limits can be set in any order.
# caught by: test_plot_streaming
# reads: Every point is inside the visible axes.
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.set_ylim(bottom=0)
    for name, points in records.items():
        ax.plot([s for s, _ in points], [held / 1e6 for _, held in points], label=name)
    ax.legend()
    return ax
