# What a student believed: Chunks are full; what is left over is no chunk.
# caught by: test_chunked
# reads: Full chunks come in order, the short rest only without drop_last.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
