# What a student believed: A list of integers takes 8 bytes an entry, as an array does.
# caught by: test_q3_shuffle_memory
# reads: Q3: an index in a list takes a pointer and an integer object, 36 to 40 bytes.
def shuffle_memory():
    return {"array": (80, "MB"), "list": (80, "MB")}
