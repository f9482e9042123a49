# %% what_is_left_at_the_end: The memory of an epoch is what is allocated after it, less
# what was allocated before. (promise 1)
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        for _ in loader:
            pass
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


# %% looked_at_between_the_batches: The peak is the largest of what is held at each
# batch. (promise 2)
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        peak = before
        for _ in loader:
            peak = max(peak, tracemalloc.get_traced_memory()[0])
        return peak - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


# %% peak_never_reset: The peak of get_traced_memory is the peak of what ran last.
# (promise 3)
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in loader:
            pass
        _, peak = tracemalloc.get_traced_memory()
        return peak - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


# %% start_not_subtracted: After reset_peak the count starts from 0. (promise 4)
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        for _ in loader:
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        if not was_tracing:
            tracemalloc.stop()


# %% a_warm_up_for_memory_too: The first epoch fills caches, so the second one is
# measured. (promise 5)
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        for _ in loader:
            pass
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for _ in loader:
            pass
        _, peak = tracemalloc.get_traced_memory()
        return peak - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


# %% leaves_its_trace_running: A trace ends with the function that started it. (promise
# 6)
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    else:
        tracemalloc.reset_peak()
    if True:
        before, _ = tracemalloc.get_traced_memory()
        for _ in loader:
            pass
        _, peak = tracemalloc.get_traced_memory()
        return peak - before
