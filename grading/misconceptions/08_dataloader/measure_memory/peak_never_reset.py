# What a student believed: The peak of get_traced_memory is the peak of what ran last.
# caught by: test_measure_memory
# reads: An earlier peak does not count.
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
