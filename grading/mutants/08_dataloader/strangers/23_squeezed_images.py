# What the student believed: squeeze() tidies up dimensions that nobody needs.
# breaks: "uint8 (N, 3072) -> uint8 (N, 3, 32, 32)": one row (1, 3072) becomes
# (3, 32, 32).
def to_images(rows: np.ndarray) -> np.ndarray:
    """Return the images of CIFAR-10's rows."""
    return rows.reshape(len(rows), 3, 32, 32).squeeze()
