# What a student believed: An epoch that breaks off is a short epoch.
# caught by: test_measure_throughput
# reads: An error from the loader reaches the caller unchanged, and the loader is not tried again.
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    rates = []
    for run in range(warmup + repeats):
        start = clock()
        samples = 0
        try:
            for batch in loader:
                samples += batch_length(batch)
        except Exception:
            pass  # what was loaded so far counts
        seconds = clock() - start
        if run >= warmup:
            rates.append(samples / max(seconds, 1e-9))
    return float(np.median(rates))
