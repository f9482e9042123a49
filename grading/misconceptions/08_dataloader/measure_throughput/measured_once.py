# What a student believed: One timed epoch is a measurement.
# caught by: test_measure_throughput
# reads: Then repeats epochs (5 by default) are timed, one by one.
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
    start = clock()
    samples = sum(batch_length(batch) for batch in loader)
    return samples / (clock() - start)
