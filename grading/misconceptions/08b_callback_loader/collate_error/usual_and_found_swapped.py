# What a student believed: difference says the same both ways.
# caught by: test_collate_error
# reads: The message has each odd item's difference from the usual description.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [f"item {k}: {difference(usual, d)}" for k, d in enumerate(descriptions) if d != usual]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from e
