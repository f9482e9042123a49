# What a student believed: A list can be cleared and filled again.
# caught by: test_chunked
# reads: Lists of size items come in the order of the stream.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk.clear()
    if chunk and not drop_last:
        yield chunk
