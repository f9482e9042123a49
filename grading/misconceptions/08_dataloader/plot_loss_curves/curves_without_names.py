# What a student believed: Two colors tell two lines apart.
# caught by: test_plot_loss_curves
# reads: Every line has its name, and a legend shows them.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for losses in records.values():
        ax.plot(losses)
    ax.set(xlabel="step", ylabel="loss")
    return ax
