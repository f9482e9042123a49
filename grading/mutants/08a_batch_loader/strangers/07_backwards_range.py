# What the student believed: a range is inside when both of its ends are.
# breaks: "0 <= start <= end <= length, else it raises"; check_range(7, 3, 10).
def check_range(start: int, end: int, length: int) -> None:
    for border in (start, end):
        if not 0 <= border <= length:
            raise IndexError(
                f"range {start}:{end} is outside 0:{length};"
                f" 0 <= start <= end <= {length} must hold"
            )
