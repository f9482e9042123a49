# What a student believed: A rate is a rate.
# caught by: test_plot_workers
# reads: A point is the rate divided by the rate of the same line with 0 workers.
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, rates, marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up (samples/s)")
    ax.legend()
    return ax
