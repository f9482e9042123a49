# What a student believed: The first item is item 1.
# caught by: test_collate_error
# reads: Odd items raise a ValueError that names each of them, as item 3, and no other item.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [
        f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions, 1) if d != usual
    ]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from e
