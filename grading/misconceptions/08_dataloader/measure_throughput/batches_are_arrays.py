# What a student believed: len(batch) is the number of samples of any batch.
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
        samples = sum(len(batch) for batch in loader)
        seconds = clock() - start
        if run >= warmup:
            rates.append(samples / seconds)
    return float(np.median(rates))
