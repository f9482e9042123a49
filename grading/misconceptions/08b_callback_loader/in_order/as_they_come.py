# What a student believed: Results come in the order in which tasks were given out.
# caught by: test_in_order
# reads: Results come in the order of their numbers, each once.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    for _, result in results:
        yield result
