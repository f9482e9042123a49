# What the student believed: sys.getsizeof tells what an integer costs: 28 bytes.
# breaks: "the integer is an object of 32 bytes" and the example: 1,000 samples in a
# list are 36,000 bytes here instead of 40,000.
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    """Return the memory of an epoch's order, in bytes."""
    import sys

    pointer = 8
    one = pointer + sys.getsizeof(10**6) if in_list else np.dtype(np.int64).itemsize
    return num_samples * one
