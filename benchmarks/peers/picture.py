"""The comparison as a picture: a panel for each case with its finding as title, and a bar for each
loader.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peers.table import NOISY
from tinytorch.profiler.pictures.plots import THEMES

TITLES = {
    "memory uint8": "In memory, uint8",
    "memory float32": "In memory, float32",
    "augment": "Flip, crop, normalize",
    "step": "The same with a 2 ms step",
    "memmap": "Memory-mapped file",
}


def write(tasks: list[dict[str, Any]], path: Path) -> list[Path]:
    """Write `path` and, for dark pages, a second file with -dark in its name; return both paths."""
    paths = {"light": path, "dark": path.with_name(f"{path.stem}-dark{path.suffix}")}
    path.parent.mkdir(parents=True, exist_ok=True)
    for style, place in paths.items():
        figure = draw(tasks, style)
        figure.savefig(place, dpi=130)
    return list(paths.values())


def draw(tasks: list[dict[str, Any]], style: str = "light") -> Any:
    """Draw a Figure with a logarithmic scale. Bars start at 1, the bare gather (or the steps
    alone).

    Raises:
        ValueError: no measured case can be drawn.
    """
    from matplotlib.figure import Figure

    panels = [(task, rows) for task in tasks if (rows := _rows(task))]
    if not panels:
        raise ValueError(
            f"a picture needs one of the cases {', '.join(TITLES)} with a row that was measured;"
            " run with --case memory"
        )
    heights = [1.1 + 0.27 * len(rows) for _, rows in panels]
    figure = Figure(figsize=(9.5, sum(heights)), layout="constrained", facecolor=THEMES[style].face)
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0]
    for ax, (task, rows) in zip(axes, panels, strict=True):
        _panel(ax, task["case"], rows, style)
    return figure


def _rows(task: dict[str, Any]) -> list[tuple[str, float, float]]:
    """(loader, ratio, spread), the best first."""
    figure = _figure(task["case"])
    rows = [
        (row["loader"], row[figure], row[f"{figure}_spread"])
        for row in task["rows"]
        if figure in row
    ]
    return sorted(rows, key=lambda row: row[1]) if task["case"] in TITLES else []


def _figure(case: str) -> str:
    return "over_steps" if case == "step" else "xg"


def _panel(ax: Any, case: str, rows: list[tuple[str, float, float]], style: str) -> None:
    theme = THEMES[style]
    ours, other = theme.series[0], theme.stages["other"]
    unit = "the steps alone" if case == "step" else "the bare gather"
    for place, (loader, ratio, spread) in enumerate(rows):
        ax.barh(
            place,
            ratio - 1,
            left=1,
            height=0.68,
            color=ours if loader.startswith("ours") else other,
        )
        text = f" {_number(ratio)}" + (f"  (noisy: spread {spread:.0%})" if spread > NOISY else "")
        ax.text(max(ratio, 1), place, text, va="center", fontsize=8.5, color=theme.ink)
    most = max(2.0, max(ratio for _, ratio, _ in rows))
    ax.set_xscale("log")
    ax.set_xlim(1, most**1.12 * 1.25)
    ax.set_xticks(
        [
            tick * 10**power
            for power in range(5)
            for tick in (1, 2, 5)
            if tick * 10**power <= most * 1.1
        ]
    )
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)), [loader for loader, _, _ in rows], fontsize=8.5)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.minorticks_off()
    ax.set_title(title(case, rows), loc="left", fontsize=11, color=theme.ink)
    ax.set_xlabel(
        f"time of an epoch / time of {unit} (log scale; 1 is the limit)",
        fontsize=8.5,
        color=theme.ink,
    )
    ax.set_facecolor(theme.face)
    ax.tick_params(colors=theme.ink)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.ink)


def title(case: str, rows: list[tuple[str, float, float]]) -> str:
    """The finding: ours against the limit, and the best of the others against ours."""
    unit = "the steps alone" if case == "step" else "the bare gather"
    ours = [row for row in rows if row[0].startswith("ours")]
    others = [row for row in rows if not row[0].startswith(("ours", "naive"))]
    loader, ratio, _ = (ours or rows)[0]
    finding = f"{TITLES[case]}: {loader.partition(':')[0]} takes {_number(ratio)} times {unit}"
    if not ours or not others:
        return finding
    factor = others[0][1] / ratio
    return finding + (
        f"; the best peer takes {factor:.2f} times as long"
        if factor >= 1
        else f"; the best peer {factor:.2f} times that"
    )


def _number(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"
