# What a student believed: Percent end at 100.
# caught by: test_plot_randomness
# reads: The y axis begins at 0, and every point lies inside the axes.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality, marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(0, 100)
    return ax
