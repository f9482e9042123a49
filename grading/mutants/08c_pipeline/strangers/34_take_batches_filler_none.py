# What the student believed: None in a batch can only be what zip_longest filled in.
# breaks: "yields lists of `batch_size` items in order"; [1, None, 3] by 2 must be
# [[1, None], [3]], here the None is missing.
def take_batches(stream: Iterable, batch_size: int, drop_last: bool = False) -> Iterator[list]:
    from itertools import zip_longest

    if drop_last:
        yield from map(list, zip(*[iter(stream)] * batch_size))
        return
    for group in zip_longest(*[iter(stream)] * batch_size):
        yield [item for item in group if item is not None]
