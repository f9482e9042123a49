# What a student believed: Throughput is batches per second.
# caught by: test_measure_throughput
# reads: Samples are counted, not batches, whatever a batch is: Tensor, tuple or dict.
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
        batches = 0
        for _ in loader:
            batches += 1
        if run >= warmup:
            rates.append(batches / (clock() - start))
    return float(np.median(rates))
