# What a student believed: list(loader) runs an epoch, and a loop would do the same.
# caught by: test_measure_memory
# reads: The peak is the largest amount held at one time, not the sum and not what is left at the
# end.
def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        batches = list(loader)
        _, peak = tracemalloc.get_traced_memory()
        del batches
        return peak - before
    finally:
        if not was_tracing:
            tracemalloc.stop()
