# What a student believed: A label names the quantity; the unit is in the text around the picture.
# caught by: test_plot_memory
# reads: Both axes are labeled with what they show and its unit.
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, [peak / 1e6 for peak in peaks], marker="o")
    ax.set(xlabel="batch size", ylabel="peak memory")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax
