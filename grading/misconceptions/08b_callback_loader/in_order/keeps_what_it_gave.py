# What a student believed: The dict may keep what was handed on.
# caught by: test_in_order
# reads: A result that was handed on is no longer kept.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, turn = {}, 0
    for number, result in results:
        early[number] = result
        while turn in early:
            yield early[turn]
            turn += 1
