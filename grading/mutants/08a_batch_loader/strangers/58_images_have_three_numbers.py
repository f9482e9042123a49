# What the student believed: an image has channels, height and width.
# breaks: "image_shape: shape of one image", Sequence[int], "one byte for each of its
# numbers"; cache_bytes(2, 100, (28, 28)) is a ValueError instead of 156,800.
def cache_bytes(files: int, records_per_file: int, image_shape: Sequence[int]) -> float:
    channels, height, width = image_shape
    return files * records_per_file * channels * height * width
