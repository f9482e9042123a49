# What a student believed: A line shows the pairs well enough.
# caught by: test_plot_randomness
# reads: One line has a point, with a marker, for each pair.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)

    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality)
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
