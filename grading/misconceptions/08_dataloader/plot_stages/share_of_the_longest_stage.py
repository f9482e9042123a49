# What a student believed: The longest stage is 100%.
# caught by: test_plot_stages
# reads: Each bar is its stage's share of the sum, in percent.
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    longest = max(records.values())
    ax.bar(list(records), [100 * seconds / longest for seconds in records.values()])
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax
