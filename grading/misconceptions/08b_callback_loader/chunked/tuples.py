# What a student believed: A tuple is as good as a list.
# caught by: test_chunked
# reads: Lists of size items come in the order of the stream.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items = iter(items)
    while chunk := tuple(itertools.islice(items, size)):
        if len(chunk) == size or not drop_last:
            yield chunk
