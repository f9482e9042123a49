# What the student believed: // is the division for whole numbers of bytes.
# breaks: "y: **MB**": [(8, 2_500_000)] is drawn at 2 instead of 2.5.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    """Draw peak memory in MB against batch size. Return the Axes."""
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, [peak // 1_000_000 for peak in peaks], marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax
