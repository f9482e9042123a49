# What a student believed: The seconds are no longer needed once they are shares.
# caught by: test_plot_stages
# reads: The plot changes nothing in the records that it is given.
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    for stage in records:
        records[stage] = 100 * records[stage] / total
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax
