# %% weight_times_share: 33 times as often as 1% is 33%. (promise 1)
def rare_share(share: float, weight: float) -> float:
    return share * weight
