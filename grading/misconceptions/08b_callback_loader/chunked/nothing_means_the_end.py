# What a student believed: A stream ends when an item is false.
# caught by: test_chunked
# reads: Any value may be an item, even None, 0 and False.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items, chunk = iter(items), []
    while item := next(items, None):
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk and not drop_last:
        yield chunk
