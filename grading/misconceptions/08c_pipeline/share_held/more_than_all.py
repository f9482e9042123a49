# What a student believed: The files that fit are the files that are held, however few there are.
# caught by: test_share_held
# reads: A buffer holds no more than the whole dataset: 1 is the most.
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    return buffer_size * 1e6 / bytes_per_file / num_files
