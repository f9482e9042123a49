# %% memory_without_units: A label names the quantity; the unit is in the text around
# the picture. (promise 2)
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, [peak / 1e6 for peak in peaks], marker="o")
    ax.set(xlabel="batch size", ylabel="peak memory")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax


# %% memory_in_bytes: The unit in the label is enough; the numbers are drawn as they
# come. (promise 3)
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, peaks, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax


# %% memory_over_the_row_number: ax.plot finds the x values by itself. (promise 4)
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    ax.plot([peak / 1e6 for _, peak in records], marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax


# %% a_ceiling_of_8_mb: The example ends at 8 MB, and so does the picture. (promise 5)
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, [peak / 1e6 for peak in peaks])
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)", ylim=(0, 10))
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {round(most / least)}-fold")
    return ax


# %% title_names_the_quantities: A title says what is drawn. (promise 6)
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, np.array(peaks) / 1e6, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    ax.set_title("Peak memory over batch size")
    return ax


# %% growth_cut_to_a_whole_number: // and int() round a number. (promise 7)
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    sizes, peaks = zip(*records)
    ax.plot(sizes, np.array(peaks) / 1e6, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    ax.set_title(f"From {small} to {large} samples, memory grows {most // least}-fold")
    return ax
