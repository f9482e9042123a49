# What a student believed: x comes before y, so the columns of an image come before its rows.
# caught by: test_to_images
# reads: A plane is stored row by row: byte 32 y + x is pixel (y, x).
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), 3, 32, 32).swapaxes(2, 3)
