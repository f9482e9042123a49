# %% no_legend: A label is shown by itself. (promise 2)
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    return ax


# %% the_first_record_is_alone: The first record is the one without workers. (promise 3)
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = rows[0][1]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax


# %% as_recorded: A line goes from one record to the next. (promise 4)
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*rows)
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax


# %% the_axis_fits_the_lines: Matplotlib chooses the axes well. (promise 6)
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax


# %% sorted_in_place: A list can be sorted where it is. (promise 7)
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name, rows in records.items():
        alone = dict(rows)[0]
        rows.sort()
        counts, rates = zip(*rows)
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax
