# What a student believed: time.perf_counter is the clock; the parameter is there for other people.
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
        start = time.perf_counter()
        samples = sum(batch_length(batch) for batch in loader)
        if run >= warmup:
            rates.append(samples / (time.perf_counter() - start))
    return float(np.median(rates))
