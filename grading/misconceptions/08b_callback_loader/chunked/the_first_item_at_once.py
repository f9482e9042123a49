# What a student believed: Asking for the first item shows whether there is one.
# caught by: test_chunked
# reads: Nothing is read before a list is asked for.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items = iter(items)
    first = list(itertools.islice(items, 1))

    def lists():
        stream = itertools.chain(first, items)
        while chunk := list(itertools.islice(stream, size)):
            if len(chunk) == size or not drop_last:
                yield chunk

    return lists()
