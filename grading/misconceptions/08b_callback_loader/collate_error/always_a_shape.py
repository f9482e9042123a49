# What a student believed: If collation failed, some item is odd.
# caught by: test_collate_error
# reads: If no item is odd, e itself is raised.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    raise ValueError("cannot collate " + "; ".join(rows)) from e
