# What a student believed: The order of 10 million samples has one size, however it is stored.
# caught by: test_q3_shuffle_memory
# reads: Q3 is answered for the array and for the list.
def shuffle_memory():
    return (80, "MB")
