# What the student believed: without loads the rate is 1.0, whatever else is asked.
# breaks: "No records: `ValueError`."; hit_rate(0, 0) is 1.0.
def hit_rate(loads: int, num_records: int) -> float:
    if loads == 0:
        return 1.0
    if num_records == 0:
        raise ValueError("there is no hit rate of no records")
    return 1 - loads / num_records
