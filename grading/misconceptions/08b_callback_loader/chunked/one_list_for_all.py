# What a student believed: A list can be cleared and filled again.
# caught by: test_chunked
# reads: Each list is a new one: making a later list changes no earlier one.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk.clear()
    if chunk and not drop_last:
        yield chunk
