# What the student believed: a share is given in whole percent.
# breaks: "the files that fit into `buffer_size` MB, divided by all files" (within 1%);
# share_held(2048, 110e3, 1_200_000) must be 0.0155, here it is 0.02.
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    files = buffer_size * 10**6 / bytes_per_file
    return min(1.0, round(files / num_files, 2))
