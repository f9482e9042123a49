# What a student believed: A range has a first file and a last file.
# caught by: test_file_ranges
# reads: Together the pieces hold every record of the range once, in order.
def file_ranges(start, end, file_length):
    if start == end:
        return []
    file, first = divmod(start, file_length)
    last_file, last = divmod(end - 1, file_length)
    if file == last_file:
        return [(file, first, last + 1)]
    return [(file, first, file_length), (last_file, 0, last + 1)]
