# What a student believed: ax.plot finds the x values by itself.
# caught by: test_plot_memory
# reads: Each peak stands over its batch size.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    ax.plot([peak / 1e6 for _, peak in records], marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax
