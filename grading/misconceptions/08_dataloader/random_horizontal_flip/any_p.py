# What a student believed: A p above 1 means always, one below 0 never.
# caught by: test_random_horizontal_flip
# reads: p outside 0..1 raises ValueError with the value.
class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5, seed: int | None = None):
        self.p, self.rng = p, np.random.default_rng(seed)
