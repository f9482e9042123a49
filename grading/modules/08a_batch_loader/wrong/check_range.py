# %% the_end_is_an_index: The end of a range is a record, so it is less than the length.
# (promise 1)
def check_range(start, end, length):
    if start < 0 or end < start or (end >= length and start != end) or end > length:
        raise IndexError(f"range {start}:{end} is outside 0:{length}")


# %% end_must_be_larger: A range that ends where it starts is a mistake. (promise 2)
def check_range(start, end, length):
    if not 0 <= start < end <= length:
        raise IndexError(f"range {start}:{end} is outside 0:{length}")


# %% assert_checks_input: An assert is the way to check an argument, as on PEDL's page.
# (promise 3)
def check_range(start, end, length):
    assert 0 <= start <= end <= length, f"range {start}:{end} is outside 0:{length}"
