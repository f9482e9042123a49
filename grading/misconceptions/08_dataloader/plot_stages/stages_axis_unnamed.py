# What a student believed: The names under the bars say what the x axis is.
# caught by: test_plot_stages
# reads: Both axes are labeled with what they show and its unit.
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    ax.bar(list(records), [100 * seconds / total for seconds in records.values()])
    ax.set_ylabel("share of the time (%)")
    return ax
