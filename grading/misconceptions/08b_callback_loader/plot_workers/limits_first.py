# What a student believed: The order of two settings does not matter.
# caught by: test_plot_workers
# reads: The y axis begins at 0, and all points are inside the axes.
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    ax.set_ylim(bottom=0)
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax
