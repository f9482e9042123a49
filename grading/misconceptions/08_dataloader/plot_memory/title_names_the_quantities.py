# What a student believed: A title says what is drawn.
# caught by: test_plot_memory
# reads: The title of the Axes names the smallest and the largest batch size.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, np.array(peaks) / 1e6, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    ax.set_title("Peak memory over batch size")
    return ax
