# What the student believed: curves that are compared must have the same length.
# breaks: "One labeled line for each name with all its losses": {"a": [3, 2, 1],
# "b": [3, 2]}: the last loss of a is left out.
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    """Draw one labelled line per run: loss against step. Return the Axes."""
    ax = new_axes(ax)
    steps = range(min(len(losses) for losses in records.values()))
    for name, losses in records.items():
        ax.plot(steps, [losses[step] for step in steps], label=name)
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return ax
