# What a student believed: The example ends at 8 MB, and so does the picture.
# caught by: test_plot_memory
# reads: Every point is inside the visible axes.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, [peak / 1e6 for peak in peaks])
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)", ylim=(0, 10))
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax
