# What a student believed: A list can be cleared and filled again.
# caught by: test_chunked
# reads: Each list is a list of its own: a later one changes none of those before.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk.clear()
    if chunk and not drop_last:
        yield chunk
