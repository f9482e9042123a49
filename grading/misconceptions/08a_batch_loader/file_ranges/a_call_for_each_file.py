# What a student believed: A call for each further file is harmless.
# caught by: test_file_ranges
# reads: It works for thousands of files, and for record numbers up to 10**18.
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    if start >= end:
        return []
    file, first = divmod(start, file_length)
    last = min(file_length, first + end - start)
    return [(file, first, last), *file_ranges(start + last - first, end, file_length)]
