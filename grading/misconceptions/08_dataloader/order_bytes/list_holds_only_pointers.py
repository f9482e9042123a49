# What a student believed: A list of integers holds 8 bytes for each, as an array does.
# caught by: test_order_bytes
# reads: An index in a list takes a pointer and an integer object, 40 bytes.
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * 8
