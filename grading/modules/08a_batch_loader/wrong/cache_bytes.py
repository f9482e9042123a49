# %% kibibytes: Memory is given in kilobytes, and there are 1,024 bytes in one. (promise
# 1)
def cache_bytes(files, records_per_file, image_shape):
    return files * records_per_file * int(np.prod(image_shape)) / 1024


# %% channels_forgotten: An image has as many bytes as pixels. (promise 2)
def cache_bytes(files, records_per_file, image_shape):
    return files * records_per_file * image_shape[-2] * image_shape[-1]
