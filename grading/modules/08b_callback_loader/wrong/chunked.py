# %% the_rest_is_lost: Chunks are full; what is left over is no chunk. (promise 2)
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []


# %% an_empty_rest: The rest comes last, whatever is in it. (promise 3)
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if not drop_last:
        yield chunk


# %% nothing_means_the_end: A stream ends when an item is false. (promise 4)
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items, chunk = iter(items), []
    while item := next(items, None):
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk and not drop_last:
        yield chunk


# %% slices_of_a_list: A stream can be made a list first. (promise 6)
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    items = list(items)
    for start in range(0, len(items), size):
        if start + size <= len(items) or not drop_last:
            yield items[start : start + size]


# %% one_list_for_all: A list can be cleared and filled again. (promise 7)
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk.clear()
    if chunk and not drop_last:
        yield chunk
