"""Laws of exercise 8c, rare_share."""

from tinytorch.law_tools import about, worked
from tinytorch.laws import law


@law(
    1,
    "over the weight of all",
    look="take 100 samples: how many are rare? What do they weigh together, and what"
    " do all 100 weigh?",
)
def test_the_rare_samples_have_their_part_of_all_weight(tt, draw):
    k = int(draw.integers(2, 60))
    table = [
        (0.2, 4, 0.5),
        (0.25, 9, 0.75),
        (0.5, 0.25, 0.2),
        (0.01, 33, 0.25),
        (0.01, 99, 0.5),
        (0.4, 6, 0.8),
        (0.3, 1, 0.3),
        (0.3, 0, 0.0),
        (0.0, 3, 0.0),
        (1.0, 3, 1.0),
        (1 / (k + 1), k, 0.5),
        (k / (k + 1), 3 / k, 0.75),
    ]
    yield from worked(tt, "rare_share", table)


@law(1, "over the weight of all", look="what do all samples weigh together?")
def test_the_rare_and_the_others_share_all_draws(tt, draw):
    for low, high in (0.2, 0.8), (1.5, 60):
        share = int(draw.integers(5, 95)) / 100
        weight = round(float(draw.uniform(low, high)), 2)
        # the others, seen from their side, weigh 1 / weight each
        yield (
            f"rare_share({share}, {weight}) + rare_share(1 - {share}, 1 / {weight})",
            lambda share=share, weight=weight: (
                tt.rare_share(share, weight) + tt.rare_share(1 - share, 1 / weight)
            ),
            1.0,
            about(1.0),
        )
