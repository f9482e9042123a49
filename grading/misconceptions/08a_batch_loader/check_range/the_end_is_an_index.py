# What a student believed: The end of a range is a record, so it is less than the length.
# caught by: test_check_range
# reads: A range with 0 <= start <= end <= length gives None.
def check_range(start, end, length):
    if start < 0 or end < start or (end >= length and start != end) or end > length:
        raise IndexError(f"range {start}:{end} is outside 0:{length}")
