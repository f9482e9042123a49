# What a student believed: The first epoch fills caches, so the second one is measured.
# caught by: test_measure_memory
# reads: One epoch is run, and none of its batches is kept.
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
