# What a student believed: Lines below the loop always run.
# caught by: test_measure_memory
# reads: A trace that was running before goes on; a trace that measure_memory started is stopped.
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    for _ in loader:
        pass
    _, peak = tracemalloc.get_traced_memory()
    if not was_tracing:
        tracemalloc.stop()
    return peak - before
