# What the student believed: set_xticklabels puts the n-th name under the n-th bar.
# breaks: "one bar for each entry ..., over the pattern's name";
# {"sequential": 5, "shuffled": 40000}: the names stand left of the bars.
def plot_file_loads(records: Mapping[str, int], ax=None):
    ax = new_axes(ax)
    import warnings

    ax.bar(range(len(records)), list(records.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ax.set_xticklabels(list(records))
    ax.set_yscale("log")
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax
