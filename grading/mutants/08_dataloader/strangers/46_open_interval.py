# What the student believed: a probability lies strictly between 0 and 1.
# breaks: "`p` outside 0..1 is a `ValueError`": 0 and 1 are not outside;
# RandomHorizontalFlip(p=1), which always mirrors, is refused.
class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5, seed: int | None = None):
        if not 0 < p < 1:
            raise ValueError(f"p must be between 0 and 1, got {p}")
        self.p, self.rng = p, np.random.default_rng(seed)
