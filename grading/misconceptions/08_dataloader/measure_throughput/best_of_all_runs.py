# What a student believed: The fastest run shows what the loader can do.
# caught by: test_measure_throughput
# reads: The result is the median of samples / seconds of these epochs.
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
        samples = sum(batch_length(batch) for batch in loader)
        if run >= warmup:
            rates.append(samples / (clock() - start))
    return max(rates)
