# What a student believed: To know whether a chunk is the last one, the next item has to be there.
# caught by: test_chunked
# reads: A list comes as soon as it is full: the next item is not read before.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        if len(chunk) == size:
            yield chunk
            chunk = []
        chunk.append(item)
    if chunk and not (drop_last and len(chunk) < size):
        yield chunk
