# What the student believed: samples over the median time is the median of the rates.
# breaks: "the **median** of samples / seconds": two epochs of 10 samples in 1 and
# 0.25 s: rates 10 and 40, median 25; this gives 10 / 0.625 = 16. Odd repeats agree.
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
    times = []
    for _ in range(repeats):
        start, samples = clock(), 0
        for batch in loader:
            samples += batch_length(batch)
        times.append(clock() - start)
    return float(samples / np.median(times))
