# What the student believed: floor and ceil of a true division are exact.
# breaks: "in this order, records first to last - 1 of each file make up the range";
# file_ranges(10**17 + 3, 10**17 + 4, 10) is [], not [(10**16, 3, 4)].
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    import math

    if start == end:
        return []
    pieces = []
    for file in range(math.floor(start / file_length), math.ceil(end / file_length)):
        first = max(start - file * file_length, 0)
        last = min(end - file * file_length, file_length)
        pieces.append((file, first, last))
    return pieces
