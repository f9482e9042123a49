# What a student believed: Limits can be set in any order.
# caught by: test_plot_throughput
# reads: Every point is inside the visible axes.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    ax.set_ylim(bottom=0)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax
