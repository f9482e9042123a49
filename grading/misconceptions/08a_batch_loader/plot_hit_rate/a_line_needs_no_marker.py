# What a student believed: A line is visible as it is.
# caught by: test_plot_hit_rate
# reads: Each point has a marker, so that a single point is visible, too.
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        ax.plot([size for size, _ in points], [100 * rate for _, rate in points], label=pattern)
    ax.set_ylim(0, 100)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    ax.legend()
    return ax
