# What a student believed: The clock runs while the batches are worked through; loading them is
# preparation.
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
        batches = list(loader)
        start = clock()
        samples = sum(batch_length(batch) for batch in batches)
        seconds = clock() - start
        if run >= warmup:
            rates.append(samples / seconds)
    return float(np.median(rates))
