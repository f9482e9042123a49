# What a student believed: The bytes of a row are pixel after pixel, each red, green, blue.
# caught by: test_to_images
# reads: The first 1,024 bytes are the red plane, the next the green one.
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2)
