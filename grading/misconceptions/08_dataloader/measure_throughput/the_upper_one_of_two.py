# What a student believed: The median is the number in the middle of the sorted list.
# caught by: test_measure_throughput
# reads: The result is the median of samples / seconds of these epochs.
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
        samples = sum(batch_length(batch) for batch in loader)
        seconds = clock() - start
        if run >= warmup:
            rates.append(samples / seconds)
    return sorted(rates)[len(rates) // 2]
