# What a student believed: An error with the same text is the same error.
# caught by: test_collate_error
# reads: If no item is odd, e itself is raised.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    if not rows:
        raise type(e)(*e.args)
    raise ValueError("; ".join(rows)) from e
