# What a student believed: A range that ends where it starts is a mistake.
# caught by: test_check_range
# reads: An empty range, start == end, is inside too, even at the very end.
def check_range(start, end, length):
    if not 0 <= start < end <= length:
        raise IndexError(f"range {start}:{end} is outside 0:{length}")
