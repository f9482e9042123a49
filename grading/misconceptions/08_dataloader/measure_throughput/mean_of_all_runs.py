# What a student believed: All samples divided by all seconds is the fairest number.
# caught by: test_measure_throughput
# reads: The result is the median of samples / seconds of these epochs.
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    for _ in range(warmup):
        for _ in loader:
            pass
    start, samples = clock(), 0
    for _ in range(repeats):
        for batch in loader:
            samples += batch_length(batch)
    return samples / (clock() - start)
