# What a student believed: The new message replaces the old error.
# caught by: test_collate_error
# reads: The ValueError comes from e, so that the first error is shown too.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from None
