# What a student believed: An image is (height, width, channel), as matplotlib draws it.
# caught by: test_to_images
# reads: Images are (N, 3, 32, 32), uint8.
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), 3, 32, 32).transpose(0, 2, 3, 1)
