# What a student believed: The largest batch has the highest peak.
# caught by: test_plot_memory
# reads: The title says how many times as much memory the largest batch takes as the smallest,
# rounded to a whole number.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, np.array(peaks) / 1e6, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    times = round(max(peaks) / min(peaks))
    ax.set_title(f"From {min(sizes)} to {max(sizes)} samples, memory grows {times}-fold")
    return ax
