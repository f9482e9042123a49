# What a student believed: A stream that cannot go on has ended.
# caught by: test_chunked
# reads: An error of the stream reaches the caller unchanged, without a retry.
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
