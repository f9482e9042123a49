# What a student believed: The number of samples is the number of batches times the size of the
# first.
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
        start, batches, size = clock(), 0, 0
        for batch in loader:
            size = max(size, batch_length(batch))
            batches += 1
        if run >= warmup:
            rates.append(batches * size / (clock() - start))
    return float(np.median(rates))
