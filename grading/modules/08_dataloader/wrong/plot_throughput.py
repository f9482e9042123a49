# %% drawn_on_the_current_figure: plt.plot draws where it should. (promise 1)
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    import matplotlib.pyplot as plt

    sizes, rates = zip(*records)
    plt.plot(sizes, rates, marker="o")
    plt.xscale("log", base=2)
    plt.ylim(bottom=0)
    plt.xlabel("batch size (samples)")
    plt.ylabel("throughput (samples/s)")
    return plt.gca()


# %% throughput_without_units: "Throughput" says what is drawn; everybody knows the
# unit. (promise 2)
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set(title="Throughput", xlabel="batch size", ylabel="throughput")
    return ax


# %% throughput_on_a_linear_axis: Batch sizes are numbers, so their axis is linear.
# (promise 4)
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_ylim(bottom=0)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax


# %% throughput_zoomed_in: The axis should show the range of the data, so that
# differences are seen. (promise 5)
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set_ylim(min(rates), max(rates))
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax


# %% limits_before_the_line: Limits can be set in any order. (promise 6)
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    ax = new_axes(ax)
    ax.set_ylim(bottom=0)
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax
