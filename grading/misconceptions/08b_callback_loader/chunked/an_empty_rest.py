# What a student believed: The rest comes last, whatever is in it.
# caught by: test_chunked
# reads: No list is empty.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if not drop_last:
        yield chunk
