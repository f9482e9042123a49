# What a student believed: Even a stream of nothing has a list.
# caught by: test_chunked
# reads: No list is empty.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items, empty = iter(items), True
    while chunk := list(itertools.islice(items, size)):
        empty = False
        if len(chunk) == size or not drop_last:
            yield chunk
    if empty:
        yield []
