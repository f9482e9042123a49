# What a student believed: An image has three dimensions.
# caught by: test_cache_bytes
# reads: Every dimension of an image counts, whatever their number.
def cache_bytes(files, records_per_file, image_shape):
    channels, height, width = image_shape
    return files * records_per_file * channels * height * width
