# What a student believed: An image holds numbers from 0 to 1.
# caught by: test_to_images
# reads: Images are (N, 3, 32, 32), uint8.
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), 3, 32, 32).astype(np.float32) / 255
