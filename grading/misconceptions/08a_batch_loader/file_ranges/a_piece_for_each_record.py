# What a student believed: A piece is a record.
# caught by: test_file_ranges
# reads: Each file that holds records of the range has one piece.
def file_ranges(start, end, file_length):
    return [
        (record // file_length, record % file_length, record % file_length + 1)
        for record in range(start, end)
    ]
