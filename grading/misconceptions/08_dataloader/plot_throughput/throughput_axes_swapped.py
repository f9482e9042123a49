# What a student believed: What was measured goes across, what was chosen goes up.
# caught by: test_plot_throughput
# reads: The line shows the records: batch size across, samples/s up.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(rates, sizes, marker="o")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax
