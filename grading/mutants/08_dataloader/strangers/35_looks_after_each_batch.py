# What the student believed: the peak is the largest number seen when looking after
# each batch.
# breaks: "the *peak* of what Python allocated during one epoch": a loader that needs
# 3 MB while it makes a batch, and frees them before it hands the batch over, costs 0.
def measure_memory(loader: Iterable) -> int:
    """Return the peak of bytes allocated during one epoch."""
    was_tracing = tracemalloc.is_tracing()  # given: somebody else may be measuring too
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        start = tracemalloc.get_traced_memory()[0]
        peak = start
        for _ in loader:
            peak = max(peak, tracemalloc.get_traced_memory()[0])
        return peak - start
    finally:
        if not was_tracing:
            tracemalloc.stop()
