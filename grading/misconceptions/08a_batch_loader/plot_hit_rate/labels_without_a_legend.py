# What a student believed: A line with a label shows it.
# caught by: test_plot_hit_rate
# reads: A legend has the name of every pattern.
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        slots, rates = zip(*points)
        ax.plot(slots, [100 * rate for rate in rates], marker="o", label=pattern)
    ax.set_ylim(0, 100)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    return ax
