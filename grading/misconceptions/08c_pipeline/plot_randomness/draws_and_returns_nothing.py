# What a student believed: The plot is in the Axes, so nothing has to be returned.
# caught by: test_plot_randomness
# reads: A plot draws on the Axes it is given and returns it.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality, marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
