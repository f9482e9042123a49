# %% rate_as_a_fraction: The label makes a fraction a percentage. (promise 2)
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        ax.plot([slots for slots, _ in points], [rate for _, rate in points], label=pattern)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)", ylim=(0, 100))
    ax.legend()
    return ax


# %% a_line_needs_no_marker: A line is visible as it is. (promise 3)
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        ax.plot([size for size, _ in points], [100 * rate for _, rate in points], label=pattern)
    ax.set_ylim(0, 100)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    ax.legend()
    return ax


# %% matplotlib_knows_the_limits: matplotlib chooses the best limits. (promise 4)
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        slots, rates = zip(*points)
        ax.plot(slots, [100 * rate for rate in rates], marker="o", label=pattern)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    ax.legend()
    return ax


# %% labels_without_a_legend: A line with a label shows it. (promise 5)
def plot_hit_rate(records, ax=None):
    ax = new_axes(ax)
    for pattern, points in records.items():
        slots, rates = zip(*points)
        ax.plot(slots, [100 * rate for rate in rates], marker="o", label=pattern)
    ax.set_ylim(0, 100)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    return ax
