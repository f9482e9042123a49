# What a student believed: Of equally frequent descriptions any is the usual one.
# caught by: test_collate_error
# reads: Of descriptions that are equally frequent, the one that came first is the usual one.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(reversed(descriptions)).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from e
