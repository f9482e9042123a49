# What a student believed: The first record is the one without workers.
# caught by: test_plot_workers
# reads: A point is the rate divided by the rate of the same line with 0 workers.
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = rows[0][1]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax
