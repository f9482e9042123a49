# What a student believed: The order of the bars says which is which.
# caught by: test_plot_file_loads
# reads: Each pattern has one bar, as high as its loads, over its name.
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(range(len(records)), list(records.values()))
    ax.set_yscale("log")
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax
