# What a student believed: What differs from the first item is odd.
# caught by: test_collate_error
# reads: An item is odd if its description is not the one that most items have.
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
