# What a student believed: plt.plot draws where it should.
# caught by: test_plot_throughput
# reads: A plot draws on the Axes it is given and returns it.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    import matplotlib.pyplot as plt

    sizes, rates = zip(*records)
    plt.plot(sizes, rates, marker="o")
    plt.xscale("log", base=2)
    plt.ylim(bottom=0)
    plt.xlabel("batch size (samples)")
    plt.ylabel("throughput (samples/s)")
    return plt.gca()
