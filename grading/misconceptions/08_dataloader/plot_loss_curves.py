# %% returns_the_lines: ax.plot returns what was drawn, so that is what is handed back.
# (promise 1)
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    lines = [ax.plot(losses, label=name)[0] for name, losses in records.items()]
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return lines


# %% curves_cut_to_the_shortest: Two curves can be compared only where both have a
# value. (promise 3)
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    steps = min(len(losses) for losses in records.values())
    for name, losses in records.items():
        ax.plot(range(steps), losses[:steps], label=name)
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return ax


# %% steps_from_one: The first step is step 1. (promise 4)
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for name, losses in records.items():
        ax.plot(range(1, len(losses) + 1), losses, label=name)
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return ax


# %% curves_without_names: Two colors tell two lines apart. (promise 5)
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for losses in records.values():
        ax.plot(losses)
    ax.set(xlabel="step", ylabel="loss")
    return ax


# %% losses_below_one: A loss lies between 0 and 1. (promise 6)
def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    for name, losses in records.items():
        ax.plot(range(len(losses)), losses, label=name)
    ax.set(xlabel="step", ylabel="loss", ylim=(0, 1))
    ax.legend()
    return ax
