# What a student believed: Weights become probabilities by softmax, as logits do.
# caught by: test_draw_with_replacement
# reads: Each draw is row i with probability weights[i] / weights.sum().
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    weights = np.asarray(weights, dtype=np.float64)

    chances = np.exp(weights - weights.max())
    return (
        np.random.default_rng(seed)
        .choice(len(weights), size=size, p=chances / chances.sum())
        .astype(np.int64)
    )
