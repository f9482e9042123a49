# What a student believed: Chunks are full; what is left over is no chunk.
# caught by: test_chunked
# reads: The last list may be shorter; with drop_last a shorter one is left out.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
