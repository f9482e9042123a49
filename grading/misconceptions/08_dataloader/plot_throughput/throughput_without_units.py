# What a student believed: "Throughput" says what is drawn; everybody knows the unit.
# caught by: test_plot_throughput
# reads: Both axes are labeled with what they show and its unit.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set(title="Throughput", xlabel="batch size", ylabel="throughput")
    return ax
