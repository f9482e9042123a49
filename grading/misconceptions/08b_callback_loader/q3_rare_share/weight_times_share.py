# What a student believed: 33 times as often as 1% is 33%.
# caught by: test_q3_rare_share
# reads: Q3: weight of the rare samples over the weight of all.
def rare_share():
    return (33, "%")
