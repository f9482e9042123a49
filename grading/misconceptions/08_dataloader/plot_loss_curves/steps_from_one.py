# What a student believed: The first step is step 1.
# caught by: test_plot_loss_curves
# reads: Steps are counted from 0.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for name, losses in records.items():
        ax.plot(range(1, len(losses) + 1), losses, label=name)
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return ax
