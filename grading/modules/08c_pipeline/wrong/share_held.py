# %% kilobytes_for_megabytes: A buffer of 2048 MB has 2048 kB. (promise 1)
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    return min(1.0, buffer_size * 1e3 / bytes_per_file / num_files)


# %% more_than_all: The files that fit are the files that are held, however few there
# are. (promise 2)
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    return buffer_size * 1e6 / bytes_per_file / num_files
