# What a student believed: A loss lies between 0 and 1.
# caught by: test_plot_loss_curves
# reads: Every point is inside the visible axes.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for name, losses in records.items():
        ax.plot(range(len(losses)), losses, label=name)
    ax.set(xlabel="step", ylabel="loss", ylim=(0, 1))
    ax.legend()
    return ax
