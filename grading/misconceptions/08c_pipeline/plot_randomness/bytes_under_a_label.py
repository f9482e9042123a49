# What a student believed: The label says MB, so the numbers need no change.
# caught by: test_plot_randomness
# reads: The x axis shows MB: bytes divided by 10**6.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)

    held, quality = zip(*records)
    ax.plot(held, [100 * q for q in quality], marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
