# What the student believed: one call for each further file is harmless.
# breaks: "records first to last - 1 of each file make up the range", for any range;
# file_ranges(0, 5000, 1) (or 50,000,000 records in files of 10,000): RecursionError.
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    if start >= end:
        return []
    file, first = divmod(start, file_length)
    last = min(file_length, first + end - start)
    return [(file, first, last), *file_ranges(start + last - first, end, file_length)]
