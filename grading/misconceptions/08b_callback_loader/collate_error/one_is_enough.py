# What a student believed: The first odd item is enough; mend it and run again.
# caught by: test_collate_error
# reads: Every odd item is named, not only the first.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    for k, d in enumerate(descriptions):
        if d != usual:
            raise ValueError(f"item {k}: {difference(d, usual)}") from e
    raise e
