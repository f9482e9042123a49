# %% a_line_without_points: A line shows the pairs well enough. (promise 2)
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)

    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality)
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax


# %% bytes_under_a_label: The label says MB, so the numbers need no change. (promise 3)
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)

    held, quality = zip(*records)
    ax.plot(held, [100 * q for q in quality], marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax


# %% axes_without_units: A label is a name; the numbers say the rest. (promise 5)
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)

    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality, marker="o")
    ax.set(xlabel="buffer size", ylabel="randomness")
    ax.set_ylim(bottom=0)
    return ax


# %% nothing_above_100: Percent end at 100. (promise 6)
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    held, quality = np.array(records, dtype=float).T
    ax.plot(held / 1e6, 100 * quality, marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(0, 100)
    return ax


# %% sorts_the_callers_list: A list that I am given is mine to sort. (promise 7)
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    ax = new_axes(ax)
    records.sort()
    ax.plot(
        [size / 10**6 for size, _ in records],
        [100 * quality for _, quality in records],
        marker="o",
    )
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
