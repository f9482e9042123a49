# What a student believed: Samples are counted through, and the clock begins anew.
# caught by: test_measure_throughput
# reads: Then repeats epochs (5 by default) are timed, one by one.
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    rates, samples = [], 0
    for run in range(warmup + repeats):
        start = clock()
        samples += sum(batch_length(batch) for batch in loader)
        seconds = clock() - start
        if run >= warmup:
            rates.append(samples / seconds)
    return float(np.median(rates))
