# What a student believed: An image has as many bytes as pixels.
# caught by: test_cache_bytes
# reads: Every dimension of an image counts, whatever their number.
def cache_bytes(files, records_per_file, image_shape):
    return files * records_per_file * image_shape[-2] * image_shape[-1]
