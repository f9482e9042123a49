# What a student believed: The last record, end - 1, is in the last file; that holds for an empty
# range, too.
# caught by: test_file_ranges
# reads: The result is a list; an empty range gives [].
def file_ranges(start, end, file_length):
    (first_file, first), (last_file, last) = (
        divmod(start, file_length),
        divmod(end - 1, file_length),
    )
    return [
        (file, first if file == first_file else 0, last + 1 if file == last_file else file_length)
        for file in range(first_file, last_file + 1)
    ] or [(first_file, first, first)]
