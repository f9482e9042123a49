# What a student believed: To know whether a chunk is the last one, the next item has to be there.
# caught by: test_chunked
# reads: A chunk is handed over as soon as it is full.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        if len(chunk) == size:
            yield chunk
            chunk = []
        chunk.append(item)
    if chunk and not (drop_last and len(chunk) < size):
        yield chunk
