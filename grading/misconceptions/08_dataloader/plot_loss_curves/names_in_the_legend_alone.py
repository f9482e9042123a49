# What a student believed: The names belong to the legend, sorted.
# caught by: test_plot_loss_curves
# reads: Every line has its name, and a legend shows them.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for name, losses in records.items():
        ax.plot(range(len(losses)), losses)
    ax.set(xlabel="step", ylabel="loss")
    ax.legend(sorted(records, reverse=True))
    return ax
