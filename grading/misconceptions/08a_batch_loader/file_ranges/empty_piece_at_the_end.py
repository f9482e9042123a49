# What a student believed: The file of `end` belongs to the range.
# caught by: test_file_ranges
# reads: first and last count within the file: 0 <= first < last <= file_length.
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
