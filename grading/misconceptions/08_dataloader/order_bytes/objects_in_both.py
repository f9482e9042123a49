# What a student believed: An integer is an object of Python, wherever it is kept.
# caught by: test_order_bytes
# reads: An index in an int64 array takes 8 bytes.
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * (8 + 32)
