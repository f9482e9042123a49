# What a student believed: The unit in the label is enough; the numbers are drawn as they come.
# caught by: test_plot_memory
# reads: Memory is drawn in MB, 1e6 bytes each.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, peaks, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax
