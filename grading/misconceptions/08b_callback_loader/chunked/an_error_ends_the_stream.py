# What a student believed: A stream that cannot go on has ended.
# caught by: test_chunked
# reads: What the stream raises reaches the caller unchanged, once.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items, chunk = iter(items), []
    while True:
        try:
            chunk.append(next(items))
        except Exception:
            break
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk and not drop_last:
        yield chunk
