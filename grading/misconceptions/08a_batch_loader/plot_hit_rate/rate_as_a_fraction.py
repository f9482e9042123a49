# What a student believed: The label makes a fraction a percentage.
# caught by: test_plot_hit_rate
# reads: Each pattern is a line of percentages over cache sizes.
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        ax.plot([slots for slots, _ in points], [rate for _, rate in points], label=pattern)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)", ylim=(0, 100))
    ax.legend()
    return ax
