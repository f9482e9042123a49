# What a student believed: matplotlib chooses the best limits.
# caught by: test_plot_hit_rate
# reads: The y axis goes from 0 to 100, and every cache size is visible.
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        slots, rates = zip(*points)
        ax.plot(slots, [100 * rate for rate in rates], marker="o", label=pattern)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    ax.legend()
    return ax
