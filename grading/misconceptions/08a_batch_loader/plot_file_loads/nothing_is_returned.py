# What a student believed: A plot is drawn, not returned.
# caught by: test_plot_file_loads
# reads: The picture is drawn on ax, and ax is returned.
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set_yscale("log")
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
