# What a student believed: Batch sizes are numbers, so their axis is linear.
# caught by: test_plot_throughput
# reads: The x axis is logarithmic, of base 2.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_ylim(bottom=0)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax
