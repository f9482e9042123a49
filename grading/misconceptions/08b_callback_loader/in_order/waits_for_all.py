# What a student believed: Sorting puts things in order.
# caught by: test_in_order
# reads: A result is handed on once all earlier results were; nothing more is read before.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    for _, result in sorted(results, key=lambda pair: pair[0]):
        yield result
