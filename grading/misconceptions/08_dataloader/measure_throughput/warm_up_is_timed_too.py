# What a student believed: The warm-up is a few epochs more, timed like the others.
# caught by: test_measure_throughput
# reads: The first warmup epochs (1 by default) run, but are not timed.
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    rates = []
    for _ in range(warmup + repeats):
        start = clock()
        samples = sum(batch_length(batch) for batch in loader)
        rates.append(samples / (clock() - start))
    return float(np.median(rates))
