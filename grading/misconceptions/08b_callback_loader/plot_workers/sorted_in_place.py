# What a student believed: A list can be sorted where it is.
# caught by: test_plot_workers
# reads: The records are not changed.
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        rows.sort()
        counts, rates = zip(*rows)
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax
