# What a student believed: Stacking writes one image at a time, so the cost is that of one image.
# caught by: test_q5_collation
# reads: Q5: 128 images of 3 x 224 x 224 numbers of 4 bytes are written.
def collation_cost():
    image_bytes = 3 * 224 * 224 * 4
    return {"bytes": (image_bytes, "B"), "time": (image_bytes / 20e9, "s")}
