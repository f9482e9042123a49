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
    return ax


def plot_stages(records: dict[str, float], ax=None):
    ax = new_axes(ax)
    seconds = np.array(list(records.values()))
    places = np.arange(len(seconds))
    ax.bar(places, seconds / seconds.sum() * 100, width=0.6)
    ax.set_xticks(places, labels=list(records))
    ax.set_xlabel("stage")
    ax.set_ylabel("share of the time (%)")
    return ax


def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    ax = new_axes(ax)
    lines = [ax.plot(np.arange(len(losses)), np.asarray(losses))[0] for losses in records.values()]
    for line, name in zip(lines, records):
        line.set_label(name)
    ax.legend(handles=lines)
    ax.set_xlabel("step")
    ax.set_ylabel("loss")
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


def speed_up(loading: float, forward: float, backward: float, optimizer: float) -> float:
    return 1 + loading / sum((forward, backward, optimizer))


def order_bytes(num_samples: int, in_list: bool = False) -> int:
    if in_list:
        return num_samples * 40
    return np.arange(num_samples).nbytes


def hours_saved(models: int, hours_before: float, hours_after: float) -> float:
    return models * hours_before - models * hours_after


def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    numbers = batch_size
    for side in image_shape:
        numbers *= side
    return numbers * 4e-9 / gigabytes_per_second
