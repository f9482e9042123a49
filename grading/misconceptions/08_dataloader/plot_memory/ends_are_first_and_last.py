# What a student believed: The records come in the order of their batch sizes.
# caught by: test_plot_memory
# reads: The title of the Axes names the smallest and the largest batch size.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, np.array(peaks) / 1e6, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = records[0], records[-1]
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax
