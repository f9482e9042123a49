# What a student believed: The files that fit are the files that are held, however few there are.
# caught by: test_share_held
# reads: A buffer holds at most the whole dataset, so the share is at most 1.
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    return buffer_size * 1e6 / bytes_per_file / num_files
