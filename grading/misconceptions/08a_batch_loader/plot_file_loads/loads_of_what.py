# What a student believed: The names under the bars are label enough.
# caught by: test_plot_file_loads
# reads: The axes are labeled "access pattern" and "file loads per epoch".
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set_yscale("log")
    ax.set(ylabel="loads")
    return ax
