# What a student believed: The first result is needed in any case.
# caught by: test_in_order
# reads: Nothing is read before a result is asked for.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    results = iter(results)
    early = dict(itertools.islice(results, 1))

    def ordered():
        turn = 0
        while True:
            while turn in early:
                yield early.pop(turn)
                turn += 1
            try:
                number, result = next(results)
            except StopIteration:
                return
            early[number] = result

    return ordered()
