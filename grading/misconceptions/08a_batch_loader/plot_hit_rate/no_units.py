# What a student believed: "hit rate" says it all.
# caught by: test_plot_hit_rate
# reads: The axes are labeled "cache size (files)" and "hit rate (%)".
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        slots, rates = zip(*points)
        ax.plot(slots, [100 * rate for rate in rates], marker="o", label=pattern)
    ax.set_ylim(0, 100)
    ax.set(xlabel="cache size", ylabel="hit rate")
    ax.legend()
    return ax
