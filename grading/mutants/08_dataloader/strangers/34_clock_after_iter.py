# What the student believed: iter(loader) only prepares; loading begins with the first
# batch.
# breaks: "`repeats` whole epochs timed" ("Time all of it. Loading *is* the iteration"):
# a loader whose __iter__ does work (reads a file, starts workers: 1 s on the clock) is
# measured without that second.
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    """Return samples per second."""
    for _ in range(warmup):
        for _ in loader:
            pass
    rates = []
    for _ in range(repeats):
        batches, samples = iter(loader), 0
        start = clock()
        for batch in batches:
            samples += batch_length(batch)
        rates.append(samples / (clock() - start))
    return float(np.median(rates))
