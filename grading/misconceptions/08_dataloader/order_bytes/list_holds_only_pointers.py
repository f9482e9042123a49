# What a student believed: A list of integers holds 8 bytes for each, as an array does.
# caught by: test_order_bytes
# reads: An index in a list takes 40 bytes: a pointer of 8 and an integer object of 32.
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * 8
