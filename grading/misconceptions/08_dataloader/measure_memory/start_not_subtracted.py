# What a student believed: After reset_peak the count starts from 0.
# caught by: test_measure_memory
# reads: Memory that was held before the epoch does not count.
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
