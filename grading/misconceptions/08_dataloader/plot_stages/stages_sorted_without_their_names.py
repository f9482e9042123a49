# What a student believed: Bars look best from large to small.
# caught by: test_plot_stages
# reads: Each bar stands over the name of its stage.
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    total = sum(records.values())
    shares = sorted((100 * seconds / total for seconds in records.values()), reverse=True)
    ax.bar(list(records), shares)
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax
