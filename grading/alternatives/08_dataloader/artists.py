# matplotlib's objects one by one: lines are made and added, axes are set up through their own
# methods.
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    from matplotlib.lines import Line2D

    ax = new_axes(ax)
    table = np.array(records, dtype=float)
    ax.add_line(Line2D(table[:, 0], table[:, 1], marker="s"))
    ax.set_xscale("log", base=2)
    ax.autoscale_view()
    ax.set_ylim(0, None)
    ax.xaxis.set_label_text("batch size (samples)")
    ax.yaxis.set_label_text("throughput (samples/s)")
    return ax


def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    ax = new_axes(ax)
    (line,) = ax.semilogx(
        [size for size, _ in records], [held / 1_000_000 for _, held in records], base=2
    )
    line.set_marker("x")
    ax.xaxis.set_label_text("batch size (samples)")
    ax.yaxis.set_label_text("peak memory (MB)")
    table = dict(records)
    ends = np.sort(list(table))[[0, -1]].tolist()
    ratio = table[ends[1]] / table[ends[0]]
    ax.title.set_text("Memory of {0:,} and {1:,} samples: 1 to {2:,.0f}".format(*ends, ratio))
    return ax


def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    ax = new_axes(ax)
    for name in records:
        seconds, held = np.asarray(records[name], dtype=float).T
        ax.plot(seconds, held * 1e-6, label=name, drawstyle="steps-post")
    ax.legend(loc="best", title="loading")
    ax.set_xlabel("time (s)")
    ax.set_ylabel("memory (MB)")
    return ax


def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return np.empty((batch_size, *image_shape), dtype).nbytes


def order_bytes(num_samples: int, in_list: bool = False) -> int:
    if in_list:
        return num_samples * 40
    return np.arange(num_samples).nbytes


def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    steps = hours / (loading + rest)
    return models * hours - models * steps * max(loading, rest)
