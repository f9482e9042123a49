# What a student believed: The memory of a loader is the size of all its batches together.
# caught by: test_measure_memory
# reads: The peak is the largest amount held at one time, not the sum and not what is left at the
# end.
def measure_memory(loader: Iterable) -> int:
    total = 0
    for batch in loader:
        parts = batch if isinstance(batch, tuple) else (batch,)
        total += sum(as_array(part).nbytes for part in parts)
    return total
