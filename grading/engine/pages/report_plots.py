"""The two figures of the report, as SVG in data URLs: the marks, and the tests that fewest pass.

The title of a figure is its finding, computed from its data. The colors are those of Okabe and Ito
(2008), which people with any color vision can tell apart; hatching and labels repeat the
information. matplotlib is imported when a figure is drawn.
"""

import base64
import contextlib
import io
from collections.abc import Iterator
from typing import Any

from grading.engine.class_report_contents import ClassFacts, Tally

BLUE, ORANGE, GREY, INK = "#0072B2", "#E69F00", "#d9d9d9", "#1a1a1a"
BINS = 10
SHOWN_TESTS = 12


def marks_finding(facts: ClassFacts) -> str:
    points, most = facts.marks.points, facts.max_points
    below = sum(value < most / 2 for value in points)
    return (
        f"Half of {len(points)} have {facts.marks.median:g} of {most:g} points or more;"
        f" {below or 'nobody'} {'has' if below < 2 else 'have'} less than half"
    )


def tests_finding(facts: ClassFacts) -> str:
    met = fewest_first(facts)
    if not met:
        return "No test was run"
    if met[0].fraction == 1:
        return f"Every submission passes all {len(met)} tests"
    worst = [one for one in met if one.fraction == met[0].fraction]
    more = f" and {len(worst) - 1} more" if len(worst) > 1 else ""
    return f"Fewest pass \u201c{worst[0].title}\u201d{more}: {worst[0].passed} of {worst[0].met}"


def fewest_first(facts: ClassFacts) -> list[Tally]:
    """The tests that were run, the one that fewest pass first."""
    met = [one for one in facts.tests if one.fraction is not None]
    return sorted(met, key=lambda one: one.fraction or 0.0)


def marks_picture(facts: ClassFacts) -> str:
    """A histogram of the marks with the median, as a data URL."""
    points, most = facts.marks.points, facts.max_points or 1.0
    with _figure(3.0) as (figure, ax):
        shown = [min(value, most) for value in points]
        style = {"color": BLUE, "edgecolor": "white"}
        counts, _, bars = ax.hist(shown, bins=BINS, range=(0, most), **style)
        ax.bar_label(bars, [f"{count:g}" if count else "" for count in counts], fontsize=11)
        median = facts.marks.median or 0.0  # the figure is only drawn if there are marks
        ax.axvline(median, color=INK, linewidth=1.5, linestyle=(0, (4, 3)))
        left = median > most * 0.6
        ax.annotate(
            f"median {median:g}",
            (median, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-5 if left else 5, 4),
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom",
            fontsize=11,
        )
        ax.set(xlim=(0, most), ylim=(0, max(counts) * 1.18), yticks=[], ylabel="submissions")
        ax.set_xlabel(f"points of {most:g}, late penalties subtracted")
        return _address(figure)


def tests_picture(facts: ClassFacts) -> str:
    """A bar for each of the tests that fewest pass (passed, met a stub, failed), as a data URL."""
    tests = fewest_first(facts)[:SHOWN_TESTS]
    with _figure(0.95 + 0.48 * len(tests)) as (figure, ax):
        for place, one in enumerate(tests):
            kinds = (
                ("passed", one.passed, BLUE, ""),
                ("met a stub", one.stub, GREY, ""),
                ("failed", one.met - one.passed - one.stub, ORANGE, "////"),
            )
            start = 0.0
            for name, count, color, hatch in kinds:
                share, label = count / one.met, None if place else name
                style = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0.6}
                ax.barh(place, share, 0.42, left=start, label=label, **style)
                start += share
            name = one.title if len(one.title) < 62 else one.title[:59] + "..."
            ax.text(0, place - 0.27, name, fontsize=10.5, va="bottom")
            ax.text(1.01, place, f"{one.passed}/{one.met}", fontsize=10.5, va="center")
        ax.set(ylim=(len(tests) - 0.6, -0.85), xlim=(0, 1), yticks=[], xticks=[0, 0.5, 1])
        ax.set_xticklabels(["0", "half", "all"])
        ax.set_xlabel("share of submissions")
        figure.legend(loc="outside upper left", ncols=3, frameon=False, fontsize=10.5)
        ax.spines["left"].set_visible(False)
        return _address(figure)


@contextlib.contextmanager
def _figure(height: float) -> Iterator[tuple[Any, Any]]:
    """Axes in the style of the report, without a window; 5.6 inches wide, so that the text is
    readable on a phone.
    """
    import matplotlib
    from matplotlib.figure import Figure

    style: Any = {
        "font.size": 11,
        "font.family": "sans-serif",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": "tito",
        "svg.fonttype": "path",
        "text.color": INK,
        "axes.labelcolor": INK,
        "hatch.linewidth": 0.8,
        "text.parse_math": False,
    }
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(5.6, height), layout="constrained")
        yield figure, figure.subplots()


def _address(figure: Any) -> str:
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(out.getvalue()).decode("ascii")
