# What a student believed: A stream can be made a list first.
# caught by: test_chunked
# reads: A list comes as soon as it is full: the next item is not read before.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items = list(items)
    for start in range(0, len(items), size):
        if start + size <= len(items) or not drop_last:
            yield items[start : start + size]
