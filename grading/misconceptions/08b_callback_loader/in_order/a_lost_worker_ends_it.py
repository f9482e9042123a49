# What a student believed: If no more results come, the epoch is over.
# caught by: test_in_order
# reads: An error of reading the results reaches the caller unchanged, without a retry.
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, turn, results = {}, 0, iter(results)
    while True:
        try:
            number, result = next(results)
        except Exception:
            return
        early[number] = result
        del result
        while turn in early:
            yield early.pop(turn)
            turn += 1
