# What the student believed: set_ylim(bottom=0) leaves the top to be found later.
# breaks: "One line with a point for each pair" (nobody sees it); [(2_000_000, 0.25)]:
# the y axis ends at 1 and the point is at 25.
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    ax.set_xlabel("buffer size (MB)")
    ax.set_ylabel("randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    ax.plot(
        [size / 1e6 for size, _ in records],
        [100 * quality for _, quality in records],
        marker="o",
    )
    return ax
