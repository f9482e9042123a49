# What the student believed: there are only the dtypes that the module mentions.
# breaks: "`dtype` is such as "float32"" and "for any input": batch_bytes(1, (3, 2, 2),
# "float16") or dtype=np.float32 is a KeyError.
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    """Return the memory of one batch of images, in bytes."""
    sizes = {"uint8": 1, "int32": 4, "int64": 8, "float32": 4, "float64": 8}
    return int(batch_size * np.prod(image_shape) * sizes[dtype])
