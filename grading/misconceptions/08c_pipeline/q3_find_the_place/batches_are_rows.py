# What a student believed: Each batch is one thing to read.
# caught by: test_q3_find_the_place
# reads: Q3: loader A reads 1,024,000 files of 110 kB at 160 MB/s.
def find_the_place() -> dict[str, tuple[float, str]]:
    return {"A": (4000 * 110e3 / 160e6, "s"), "B": (4000 * 2e-6, "s")}
