# What a student believed: Where the loader breaks off, the peak so far is the answer.
# caught by: test_measure_memory
# reads: An error from the loader reaches the caller unchanged, and the loader is not tried again.
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        try:
            for _ in loader:
                pass
        except Exception:
            pass
        _, peak = tracemalloc.get_traced_memory()
        return peak - before
    finally:
        if not was_tracing:
            tracemalloc.stop()
