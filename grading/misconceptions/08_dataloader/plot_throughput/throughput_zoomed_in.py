# What a student believed: The axis should show the range of the data, so that differences are seen.
# caught by: test_plot_throughput
# reads: The y axis begins at 0.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set_ylim(min(rates), max(rates))
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax
