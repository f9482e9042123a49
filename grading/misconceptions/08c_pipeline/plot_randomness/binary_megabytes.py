# What a student believed: A megabyte has 2**20 bytes.
# caught by: test_plot_randomness
# reads: The x axis shows MB: bytes divided by 10**6.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 2**20, 100 * quality, marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
