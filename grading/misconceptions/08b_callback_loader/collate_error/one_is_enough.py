# What a student believed: The first odd item is enough; mend it and run again.
# caught by: test_collate_error
# reads: Odd items raise a ValueError that names each of them, as item 3, and no other item.
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    for k, d in enumerate(descriptions):
        if d != usual:
            raise ValueError(f"item {k}: {difference(d, usual)}") from e
    raise e
