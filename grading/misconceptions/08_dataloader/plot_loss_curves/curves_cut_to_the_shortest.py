# What a student believed: Two curves can be compared only where both have a value.
# caught by: test_plot_loss_curves
# reads: Every run is a line with all its losses.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    steps = min(len(losses) for losses in records.values())
    for name, losses in records.items():
        ax.plot(range(steps), losses[:steps], label=name)
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return ax
