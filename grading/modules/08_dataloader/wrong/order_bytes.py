# %% int64_has_64_bytes: The 64 of int64 counts bytes. (promise 1)
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * (40 if in_list else 64)


# %% list_holds_only_pointers: A list of integers holds 8 bytes for each, as an array
# does. (promise 2)
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    return num_samples * 8
