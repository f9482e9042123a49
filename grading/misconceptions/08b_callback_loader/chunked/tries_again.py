# What a student believed: A read that failed may work the second time.
# caught by: test_chunked
# reads: An error of the stream reaches the caller unchanged, without a retry.
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items, chunk = iter(items), []
    while True:
        try:
            chunk.append(next(items))
        except StopIteration:
            break
        except Exception:
            chunk.extend(itertools.islice(items, 1))
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk and not drop_last:
        yield chunk
