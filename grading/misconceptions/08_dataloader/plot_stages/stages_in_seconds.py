# What a student believed: The seconds show where the time goes as well as the shares do.
# caught by: test_plot_stages
# reads: Each bar is its stage's share of the sum, in percent.
def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax
