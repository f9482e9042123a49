# What a student believed: A time axis needs no unit.
# caught by: test_plot_streaming
# reads: Both axes are labeled with what they show and its unit.
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        seconds, held = zip(*points)
        ax.plot(seconds, np.array(held) / 1e6, label=name)
    ax.set(xlabel="time", ylabel="memory (MB)")
    ax.legend()
    return ax
