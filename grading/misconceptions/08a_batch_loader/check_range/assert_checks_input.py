# What a student believed: An assert is the way to check an argument, as on PEDL's page.
# caught by: test_check_range
# reads: Any other range raises IndexError with start, end and length.
def check_range(start, end, length):
    assert 0 <= start <= end <= length, f"range {start}:{end} is outside 0:{length}"
