# What a student believed: A share goes from 0 to 1.
# caught by: test_plot_stages
# reads: Every bar is inside the visible axes.
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    ax.bar(list(records), [100 * seconds / total for seconds in records.values()])
    ax.set(xlabel="stage", ylabel="share of the time (%)", ylim=(0, 1))
    return ax
