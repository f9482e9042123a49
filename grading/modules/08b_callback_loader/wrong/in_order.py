# %% as_they_come: Results come in the order in which tasks were given out. (promise 1)
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    for _, result in results:
        yield result


# %% none_means_not_there: get gives None for what is not there. (promise 2)
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, turn = {}, 0
    for number, result in results:
        early[number] = result
        while early.get(turn) is not None:
            yield early.pop(turn)
            turn += 1


# %% waits_for_all: Sorting puts things in order. (promise 4)
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    for _, result in sorted(results, key=lambda pair: pair[0]):
        yield result


# %% keeps_what_it_gave: The dict may keep what was handed on. (promise 5)
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    early, turn = {}, 0
    for number, result in results:
        early[number] = result
        while turn in early:
            yield early[turn]
            turn += 1
