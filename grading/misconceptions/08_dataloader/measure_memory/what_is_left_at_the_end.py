# What a student believed: The memory of an epoch is what is allocated after it, less what was
# allocated before.
# caught by: test_measure_memory
# reads: The peak is the largest amount held at one time, not the sum and not what is left at the
# end.
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
