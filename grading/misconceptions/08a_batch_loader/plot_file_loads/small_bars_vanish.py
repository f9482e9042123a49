# What a student believed: matplotlib chooses a scale on which every bar can be seen.
# caught by: test_plot_file_loads
# reads: The y axis has a log scale, and every bar ends inside it.
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax
