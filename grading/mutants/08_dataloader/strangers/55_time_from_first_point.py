# What the student believed: a picture of time begins at 0, so the first time is
# subtracted.
# breaks: "records are dict name -> list of (seconds, bytes)", drawn as they are:
# {"streaming": [(1, 0), (3, 1_000_000)]} is drawn from 0 to 2 s instead of 1 to 3 s.
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    """Draw memory in MB over time in seconds. Return the Axes."""
    ax = new_axes(ax)
    for name, points in records.items():
        seconds, held = zip(*points)
        ax.plot([s - seconds[0] for s in seconds], [h / 1e6 for h in held], label=name)
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.legend()
    return ax
