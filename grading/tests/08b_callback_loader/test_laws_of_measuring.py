"""Hidden: plot_workers and the three functions that calculate, on inputs that are drawn anew each
run (`draw`).
"""

import numpy as np
import pytest

from tinytorch.testing import expect, near

# 7a plot_workers


def lines(tt, records):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    tt.plot_workers(records, ax)
    return {
        line.get_label(): [
            (float(x), float(y)) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        ]
        for line in ax.get_lines()
    }


def new_figure(tt, records):
    ax = tt.plot_workers(records)
    made = [line.get_label() for line in ax.get_lines()]
    import matplotlib.pyplot as plt

    plt.close(ax.figure)
    return made


@pytest.mark.contract("test_plot_workers")
def test_each_name_has_its_own_rate_without_workers(inside, draw):
    names = [f"set {k}" for k in draw.choice(90, 3, replace=False).tolist()]
    records, want = {}, {}
    for name in sorted(names):
        counts = [0, *(1 + draw.choice(8, 3, replace=False)).tolist()]
        rates = dict(zip(counts, draw.uniform(1, 1000, 4).tolist(), strict=True))
        records[name] = [(k, rates[k]) for k in draw.permutation(counts).tolist()]
        want[name] = [(k, rates[k] / rates[0]) for k in sorted(counts)]
    got = inside(lines, records)
    for name, wanted in want.items():
        expect(
            len(got.get(name, ())) == 4 and np.allclose(got[name], wanted),
            "A point is the rate divided by the rate of the same line with 0 workers.",
            call=f"plot_workers({records}), the line {name!r}",
            got=got.get(name),
            want=wanted,
            look="the record whose number of workers is 0, not the first one",
        )


@pytest.mark.contract("test_plot_workers")
def test_a_plot_makes_axes_where_none_are_given(inside, draw):
    names = [f"set {k}" for k in draw.choice(90, 2, replace=False).tolist()]
    got = inside(new_figure, {name: [(0, 2.0), (1, 3.0)] for name in names})
    expect(
        got == names,
        "It draws on the given Axes, or on those of a new figure, and returns them.",
        call="plot_workers(records)",
        got=got,
        want=names,
        look="new_axes(ax)",
    )


# 8a bytes_on_their_way


@pytest.mark.contract("test_bytes_on_their_way")
def test_bytes_are_a_product(tt, draw):
    for dtype, size in (("uint8", 1), ("float32", 4), ("float64", 8)):
        workers, prefetch = int(draw.integers(2, 17)), int(draw.integers(2, 6))
        batch_size, side = int(draw.integers(8, 257)), int(draw.integers(20, 300))
        shape = (3, side, side + 1)
        numbers = 3 * side * (side + 1)
        want = workers * prefetch * batch_size * numbers * size
        got = tt.bytes_on_their_way(workers, prefetch, batch_size, shape, dtype)
        expect(
            near(got, want, within=0.01),
            "num_workers x prefetch batches are prepared ahead, each of batch_size images.",
            call=f'bytes_on_their_way({workers}, {prefetch}, {batch_size}, {shape}, "{dtype}")',
            got=got,
            want=want,
            look=(
                f"{workers * prefetch} batches x {batch_size} images x {numbers:,} numbers"
                f" x {size} bytes = {want:,} bytes"
            ),
        )


@pytest.mark.contract("test_bytes_on_their_way")
def test_images_have_any_number_of_sides(tt, draw):
    sides = draw.integers(2, 30, 4).tolist()
    for shape in (tuple(sides[:1]), tuple(sides[:2]), tuple(sides)):
        numbers = int(np.prod(shape))
        got = tt.bytes_on_their_way(3, 2, 5, shape, "int16")
        expect(
            near(got, 60 * numbers, within=0.01),
            "An image has as many numbers as the product of image_shape, each as large"
            " as dtype says.",
            call=f'bytes_on_their_way(3, 2, 5, {shape}, "int16")',
            got=got,
            want=60 * numbers,
            look=f"6 batches x 5 images x {numbers:,} numbers x 2 bytes = {60 * numbers:,} bytes",
        )


# 8b overlap_speed_up


def overlap(tt, item_ms, batch_size, step_ms, workers):
    load_ms = item_ms * batch_size
    slower = max(load_ms / workers, step_ms)
    want = (load_ms + step_ms) / slower
    got = tt.overlap_speed_up(item_ms / 1000, batch_size, step_ms / 1000, workers)
    expect(
        near(got, want, within=0.01),
        "With workers, loading is shared equally, and the slower of loading and step"
        " sets the pace.",
        call=f"overlap_speed_up({item_ms / 1000}, {batch_size}, {step_ms / 1000}, {workers})",
        got=got,
        want=round(want, 3),
        look=(
            f"({load_ms} + {step_ms}) ms / the larger of {load_ms} / {workers} and {step_ms} ms"
            f" = {want:.3f}"
        ),
    )


@pytest.mark.contract("test_overlap_speed_up")
def test_the_step_sets_the_pace(tt, draw):
    for _round in range(3):
        batch_size, workers = int(draw.integers(16, 65)), int(draw.integers(2, 9))
        step_ms = int(draw.integers(200, 400))
        overlap(tt, int(draw.integers(2, 6)), batch_size, step_ms, workers)


@pytest.mark.contract("test_overlap_speed_up")
def test_loading_sets_the_pace(tt, draw):
    for _round in range(3):
        batch_size, workers = int(draw.integers(16, 65)), int(draw.integers(2, 5))
        overlap(tt, int(draw.integers(20, 40)), batch_size, int(draw.integers(10, 50)), workers)


# 8c rare_share


@pytest.mark.contract("test_rare_share")
def test_any_share_and_weight(tt, draw):
    for _ in range(6):
        rare, weight = int(draw.integers(1, 300)), int(draw.integers(2, 60))
        share, others = rare / 1000, 1000 - rare
        want = rare * weight / (rare * weight + others)
        got = tt.rare_share(share, weight)
        expect(
            near(got, want, within=0.01),
            "The answer is the weight of the rare samples over the weight of all.",
            call=f"rare_share({share}, {weight})",
            got=got,
            want=round(want, 4),
            look=(
                f"of 1000 samples, {rare} weigh {weight} each = {rare * weight}, {others} weigh 1;"
                f" {rare * weight} / {rare * weight + others} = {want:.4f}"
            ),
        )


@pytest.mark.contract("test_rare_share")
def test_weights_below_one_and_all_samples(tt, draw):
    share = int(draw.integers(20, 80)) / 100
    weight = int(draw.integers(20, 80)) / 100
    want = share * weight / (share * weight + 1 - share)
    got = tt.rare_share(share, weight)
    expect(
        near(got, want, within=0.01),
        "The answer is the weight of the rare samples over the weight of all.",
        call=f"rare_share({share}, {weight})",
        got=got,
        want=round(want, 4),
        look=f"{share * weight:.4f} / ({share * weight:.4f} + {1 - share:.2f}) = {want:.4f}",
    )
    got = [tt.rare_share(0.0, weight), tt.rare_share(1.0, weight)]
    expect(
        all(abs(one - right) < 0.01 for one, right in zip(got, (0, 1), strict=True)),
        "The answer is the weight of the rare samples over the weight of all.",
        call=f"rare_share(0, {weight}), rare_share(1, {weight})",
        got=got,
        want=[0, 1],
        look="what do the rare ones weigh together, and what do all?",
    )
