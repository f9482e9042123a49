# What a student believed: The first batch of each epoch warms up, so the clock starts after it.
# caught by: test_measure_throughput
# reads: The clock runs from before the first batch of an epoch to after its last.
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    rates = []
    for run in range(warmup + repeats):
        batches = iter(loader)
        samples = batch_length(next(batches))
        start = clock()
        for batch in batches:
            samples += batch_length(batch)
        if run >= warmup:
            rates.append(samples / (clock() - start))
    return float(np.median(rates))
