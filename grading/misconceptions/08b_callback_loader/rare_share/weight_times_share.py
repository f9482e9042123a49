# What a student believed: 33 times as often as 1% is 33%.
# caught by: test_rare_share
# reads: The answer is the weight of the rare samples over the weight of all.
def rare_share(share: float, weight: float) -> float:
    return share * weight
