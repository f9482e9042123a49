# What a student believed: get gives None for what is not there.
# caught by: test_in_order
# reads: A result may be anything, even None, 0 or False.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, turn = {}, 0
    for number, result in results:
        early[number] = result
        while early.get(turn) is not None:
            yield early.pop(turn)
            turn += 1
