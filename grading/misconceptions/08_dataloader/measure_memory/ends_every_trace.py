# What a student believed: After a measurement tracemalloc is stopped.
# caught by: test_measure_memory
# reads: A trace that was running before goes on; a trace that measure_memory started is stopped.
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for _ in loader:
            pass
        _, peak = tracemalloc.get_traced_memory()
        return peak - before
    finally:
        tracemalloc.stop()
