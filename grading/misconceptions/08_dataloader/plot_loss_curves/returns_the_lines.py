# What a student believed: ax.plot returns what was drawn, so that is what is handed back.
# caught by: test_plot_loss_curves
# reads: A plot draws on the Axes it is given and returns it.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    lines = [ax.plot(losses, label=name)[0] for name, losses in records.items()]
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return lines
