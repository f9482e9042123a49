# What the student believed: the last file is that of `end`.
# breaks: "No piece is empty"; file_ranges(0, 20, 10) ends with (2, 0, 0).
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    if start == end:
        return []
    first_file, first = divmod(start, file_length)
    last_file, last = divmod(end, file_length)
    if first_file == last_file:
        return [(first_file, first, last)]
    return [
        (first_file, first, file_length),
        *((file, 0, file_length) for file in range(first_file + 1, last_file)),
        (last_file, 0, last),
    ]
