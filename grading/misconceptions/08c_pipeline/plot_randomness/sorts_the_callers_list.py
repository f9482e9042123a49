# What a student believed: A list that I am given is mine to sort.
# caught by: test_plot_randomness
# reads: records is a list or a tuple of pairs, and is not changed.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    records.sort()
    ax.plot(
        [size / 10**6 for size, _ in records],
        [100 * quality for _, quality in records],
        marker="o",
    )
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
