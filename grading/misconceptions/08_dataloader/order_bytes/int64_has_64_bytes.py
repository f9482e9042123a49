# What a student believed: The 64 of int64 counts bytes.
# caught by: test_order_bytes
# reads: An index in an int64 array takes 8 bytes.
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * (40 if in_list else 64)
