# What the student believed: it does not matter when the limits of an axis are set.
# breaks: "y: samples/s, from 0" and the goal "See at which batch size ...": set before
# the line is drawn, set_ylim(bottom=0) freezes the axis at 0..1; the line from
# (8, 1000) to (32, 3000) is outside the picture.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    """Draw samples/s against batch size. Return the Axes."""
    ax = new_axes(ax)
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    return ax
