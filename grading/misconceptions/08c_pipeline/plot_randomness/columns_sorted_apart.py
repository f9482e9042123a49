# What a student believed: A line needs sorted numbers.
# caught by: test_plot_randomness
# reads: The y axis shows the quality in percent.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    ax.plot(np.sort(held) / 1e6, np.sort(100 * quality), marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
