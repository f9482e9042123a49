# %% counts_batches: Throughput is batches per second. (promise 1)
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


# %% first_batch_is_the_warm_up: The first batch of each epoch warms up, so the clock
# starts after it. (promise 2)
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


# %% warm_up_is_timed_too: The warm-up is a few epochs more, timed like the others.
# (promise 3)
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


# %% samples_of_all_epochs: Samples are counted through, and the clock begins anew.
# (promise 4)
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


# %% mean_of_all_runs: All samples divided by all seconds is the fairest number.
# (promise 5)
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
    start, samples = clock(), 0
    for _ in range(repeats):
        for batch in loader:
            samples += batch_length(batch)
    return samples / (clock() - start)
