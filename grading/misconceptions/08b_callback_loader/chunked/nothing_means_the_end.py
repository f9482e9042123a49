# What a student believed: A stream ends when an item is false.
# caught by: test_false_items_are_items
# reads: Whatever comes from a stream is an item, 0 and None too.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items, chunk = iter(items), []
    while item := next(items, None):
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk and not drop_last:
        yield chunk
