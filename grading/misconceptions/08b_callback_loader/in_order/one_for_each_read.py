# What a student believed: Each result that comes lets one go.
# caught by: test_in_order
# reads: Results come in the order of their numbers, each once.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, turn = {}, 0
    for number, result in results:
        early[number] = result
        if turn in early:
            yield early.pop(turn)
            turn += 1
