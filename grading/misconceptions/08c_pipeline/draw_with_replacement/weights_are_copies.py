# What a student believed: A row of weight 3 is three tickets in a drum; a weight is a number of
# tickets.
# caught by: test_draw_with_replacement
# reads: Each draw is row i with probability weights[i] / weights.sum().
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    tickets = np.repeat(np.arange(len(weights)), np.maximum(weights.astype(int), weights > 0))
    return tickets[np.random.default_rng(seed).integers(len(tickets), size=size)].astype(np.int64)
