# What a student believed: A label is shown by itself.
# caught by: test_plot_workers
# reads: Each name is one line with a label in a legend.
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    return ax
