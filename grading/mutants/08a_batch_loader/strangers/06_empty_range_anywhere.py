# What the student believed: "start == end is fine" holds wherever start is.
# breaks: "returns nothing (None) if 0 <= start <= end <= length, else it raises
# IndexError"; check_range(12, 12, 10), check_range(-3, -3, 10).
def check_range(start: int, end: int, length: int) -> None:
    if start == end:
        return  # nothing is read, so nothing can be outside
    if not 0 <= start < end <= length:
        raise IndexError(
            f"range {start}:{end} is outside 0:{length}; 0 <= start <= end <= {length} must hold"
        )
