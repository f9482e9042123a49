# What a student believed: The bytes of a row are pixel after pixel, each red, green, blue.
# caught by: test_to_images
# reads: Channel 0 is the red plane, 1 the green, 2 the blue.
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2)
