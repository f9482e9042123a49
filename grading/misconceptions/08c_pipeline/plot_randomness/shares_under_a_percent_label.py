# What a student believed: The label says percent, so the numbers are.
# caught by: test_plot_randomness
# reads: The y axis shows the quality in percent.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, quality, marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
