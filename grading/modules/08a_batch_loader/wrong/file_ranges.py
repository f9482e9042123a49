# %% files_in_the_middle_forgotten: A range has a first file and a last file. (promise
# 1)
def file_ranges(start, end, file_length):
    if start == end:
        return []
    file, first = divmod(start, file_length)
    last_file, last = divmod(end - 1, file_length)
    if file == last_file:
        return [(file, first, last + 1)]
    return [(file, first, file_length), (last_file, 0, last + 1)]


# %% empty_piece_at_the_end: The file of `end` belongs to the range. (promise 2)
def file_ranges(start, end, file_length):
    (first_file, first), (last_file, last) = divmod(start, file_length), divmod(end, file_length)
    if start == end:
        return []
    if first_file == last_file:
        return [(first_file, first, last)]
    return [
        (first_file, first, file_length),
        *((file, 0, file_length) for file in range(first_file + 1, last_file)),
        (last_file, 0, last),
    ]


# %% a_piece_for_each_record: A piece is a record. (promise 3)
def file_ranges(start, end, file_length):
    return [
        (record // file_length, record % file_length, record % file_length + 1)
        for record in range(start, end)
    ]


# %% last_record_by_divmod: The last record, end - 1, is in the last file; that holds
# for an empty range, too. (promise 4)
def file_ranges(start, end, file_length):
    (first_file, first), (last_file, last) = (
        divmod(start, file_length),
        divmod(end - 1, file_length),
    )
    return [
        (file, first if file == first_file else 0, last + 1 if file == last_file else file_length)
        for file in range(first_file, last_file + 1)
    ] or [(first_file, first, first)]


# %% a_call_for_each_file: A call for each further file is harmless. (promise 5)
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    if start >= end:
        return []
    file, first = divmod(start, file_length)
    last = min(file_length, first + end - start)
    return [(file, first, last), *file_ranges(start + last - first, end, file_length)]
