# What the student believed: plt.plot draws on `ax`, since it was made last.
# breaks: "One line with a point for each pair" (on the Axes that is returned); with
# figure, axes = plt.subplots(1, 2) and ax=axes[0] the line is on axes[1].
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    import matplotlib.pyplot as plt

    ax = new_axes(ax)
    plt.plot(
        [size / 10**6 for size, _ in records],
        [100 * quality for _, quality in records],
        marker="o",
    )
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
