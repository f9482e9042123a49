# What a student believed: A picture is shown, not returned.
# caught by: test_plot_workers
# reads: It draws on the given Axes, or on those of a new figure, and returns them.
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
