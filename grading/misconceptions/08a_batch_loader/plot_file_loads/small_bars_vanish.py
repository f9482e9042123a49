# What a student believed: matplotlib chooses a scale on which every bar can be seen.
# caught by: test_plot_file_loads
# reads: 5 and 40,000 on one axis need a log scale.
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax
