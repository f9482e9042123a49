# What a student believed: A buffer of 2048 MB has 2048 kB.
# caught by: test_share_held
# reads: The share is the files that fit, divided by all files.
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    return min(1.0, buffer_size * 1e3 / bytes_per_file / num_files)
