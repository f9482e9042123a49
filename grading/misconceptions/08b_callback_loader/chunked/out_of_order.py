# What a student believed: The next item may go to either end of the list.
# caught by: test_chunked
# reads: Lists of size items come in the order of the stream.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items = iter(items)
    while chunk := list(itertools.islice(items, size)):
        if len(chunk) == size or not drop_last:
            yield chunk[::-1] if len(chunk) == size else chunk
