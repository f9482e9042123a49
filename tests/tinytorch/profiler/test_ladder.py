"""The ladder: bars beside the limit, and a title that is computed from them."""

import pytest

from tinytorch.profiler.pictures.ladder import plot_ladder

RATES = {"one_by_one": 100_000.0, "one_gather": 1_500_000.0, "limit": 2_000_000.0}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def words(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("style", ["light", "dark"])
def test_each_bar_is_its_rate_and_says_what_the_step_bought(style):
    ax = plot_ladder(RATES, style=style)
    assert [bar.get_width() for bar in ax.patches] == [100_000, 1_500_000, 2_000_000]
    assert words(ax) == [
        "One by one: 100 k, 5.0% of the limit",
        "One gather: 1.5 M, 15.0x, 75% of the limit",
        "The limit, one bare gather: 2 M",
    ]
    assert ax.get_xlabel() == "throughput (samples/s)"


def test_the_title_is_the_finding():
    assert (
        " ".join(plot_ladder(RATES).get_title(loc="left").split())
        == "One gather reaches 75% of the limit, 15.0 times as fast as one by one"
    )
    assert (
        plot_ladder({"mine": 1.0, "limit": 4.0}).get_title(loc="left")
        == "Mine reaches 25% of the limit"
    )


def test_no_words_leave_the_picture_or_touch_a_bar_and_a_phone_shows_them_large_enough():
    for rates in (
        RATES,
        {"per_sample": 9e3, "AugmentFromCopies": 3.33e5, "limit": 2.3e6},
        {"a": 2.2e6, "b": 2.4e6, "limit": 2.3e6},
    ):
        ax = plot_ladder(rates)
        ax.figure.canvas.draw()
        frame, bars = ax.figure.bbox, [bar.get_window_extent() for bar in ax.patches]
        for text in ax.texts:
            box = text.get_window_extent()
            assert frame.x0 <= box.x0 and box.x1 <= frame.x1, text.get_text()
            assert not any(box.y0 < bar.y1 and bar.y0 < box.y1 for bar in bars), text.get_text()
            # 358 CSS pixels are left for a picture on a phone of 390
            assert text.get_fontsize() * 358 / (72 * ax.figure.get_figwidth()) >= 11


@pytest.mark.parametrize("rates", [{}, {"limit": 1.0}, {"mine": 1.0}])
def test_a_ladder_needs_a_loader_and_the_limit(rates):
    with pytest.raises(ValueError, match="needs the rate of a loader and one named 'limit'"):
        plot_ladder(rates)
