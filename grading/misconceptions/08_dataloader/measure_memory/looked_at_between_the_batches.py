# What a student believed: The peak is the largest of what is held at each batch.
# caught by: test_measure_memory
# reads: Memory that is held only while a batch is made counts too.
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
