# What a student believed: What differs from the first item is odd.
# caught by: test_collate_error
# reads: What most items have is usual: the first one may be odd.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    rows = [
        f"item {k}: {difference(d, descriptions[0])}"
        for k, d in enumerate(descriptions)
        if d != descriptions[0]
    ]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from e
