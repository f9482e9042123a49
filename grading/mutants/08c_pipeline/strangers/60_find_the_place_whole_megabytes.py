# What the student believed: files and disks are measured in whole MB.
# breaks: "a disk with that bandwidth delivers these files again";
# find_the_place(4000, 256, 110e3, 160e6, 2)["read"] must be 704.0, here it is 0.0.
def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    rows = batches * batch_size
    megabytes = rows * (bytes_per_file // 10**6)
    return {
        "read": megabytes / (bytes_per_second / 10**6),
        "plan": rows * microseconds_per_row / 10**6,
    }
