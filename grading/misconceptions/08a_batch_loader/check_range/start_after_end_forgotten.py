# What a student believed: If both ends are inside, the range is inside.
# caught by: test_check_range
# reads: Any other range raises IndexError with start, end and length.
def check_range(start, end, length):
    if start < 0 or start > length or end < 0 or end > length:
        raise IndexError(f"range {start}:{end} is outside 0:{length}")
