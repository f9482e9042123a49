# What the student believed: a line should go from left to right, so sort first.
# breaks: what any caller expects of its list; records = [(2e6, 0.5), (1e6, 0.2)]
# stand in another order after the call, and a tuple of records is an AttributeError.
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
