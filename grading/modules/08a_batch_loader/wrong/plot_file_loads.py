# %% nothing_is_returned: A plot is drawn, not returned. (promise 1)
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set_yscale("log")
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")


# %% bars_without_names: The order of the bars says which is which. (promise 2)
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(range(len(records)), list(records.values()))
    ax.set_yscale("log")
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax


# %% small_bars_vanish: matplotlib chooses a scale on which every bar can be seen.
# (promise 3)
def plot_file_loads(records, ax=None):
    ax = new_axes(ax)
    ax.bar(list(records), list(records.values()))
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax
