# What a student believed: A range touches one file, or two.
# caught by: test_file_ranges
# reads: first and last count within the file: 0 <= first < last <= file_length.
def file_ranges(start, end, file_length):
    if start == end:
        return []
    file, first = divmod(start, file_length)
    if end <= (file + 1) * file_length:
        return [(file, first, end - file * file_length)]
    return [(file, first, file_length), (file + 1, 0, end - (file + 1) * file_length)]
