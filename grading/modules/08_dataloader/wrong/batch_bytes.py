# %% channels_forgotten: An image of 32 x 32 pixels has 1,024 numbers. (promise 1)
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    height, width = image_shape[-2:]
    return batch_size * height * width * np.dtype(dtype).itemsize


# %% one_byte_a_number: Pixels are bytes, whatever dtype they are kept in. (promise 1)
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return batch_size * int(np.prod(image_shape))
