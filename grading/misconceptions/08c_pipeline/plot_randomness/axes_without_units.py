# What a student believed: A label is a name; the numbers say the rest.
# caught by: test_plot_randomness
# reads: Each axis has a label with its unit: MB along x, % along y.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)

    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality, marker="o")
    ax.set(xlabel="buffer size", ylabel="randomness")
    ax.set_ylim(bottom=0)
    return ax
