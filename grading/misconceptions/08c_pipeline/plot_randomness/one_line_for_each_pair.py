# What a student believed: Each pair is drawn by itself.
# caught by: test_plot_randomness
# reads: One line has a point, with a marker, for each pair.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    for x, y in zip(held, quality):
        ax.plot([x / 1e6], [100 * y], marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
