# What a student believed: Memory is given in kilobytes, and there are 1,024 bytes in one.
# caught by: test_cache_bytes
# reads: The result is the memory of all images in these files, in bytes.
def cache_bytes(files, records_per_file, image_shape):
    return files * records_per_file * int(np.prod(image_shape)) / 1024
