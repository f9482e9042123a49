# What the student believed: the y axis starts at 0 by itself.
# breaks: "the rate in % on the y axis, which goes from 0 to 100";
# {"sequential": [(1, 0.8), (2, 0.9)]}: it starts at about 79.
def plot_hit_rate(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, points in records.items():
        sizes = [size for size, _ in points]
        percent = [100 * rate for _, rate in points]
        ax.plot(sizes, percent, marker="o", label=name)
    ax.set_ylim(top=100)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    ax.legend()
    return ax
