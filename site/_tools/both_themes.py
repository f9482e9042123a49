"""Runs inside the kernel of an executed page: every matplotlib figure becomes two pictures, one for
a light page and one for a dark one.

The page's style shows the one that fits. Greys of the figure are turned around for the dark one,
colors only made lighter, so a plot needs no word about themes.
"""

from __future__ import annotations

import base64
import colorsys
import io
from html import escape
from typing import Any

_GREY = 0.2  # saturation below which a color is a grey
_DIM = 0.6  # lightness that a color has at least on a dark page
CSS_PIXELS = 128  # of an inch of a figure, where the page is wide enough
DOTS = 192  # pixels of an inch in the file


def install() -> None:
    """From the next cell on, show figures of this IPython session as two pictures with an
    alternative text.
    """
    import matplotlib.pyplot as plt
    from IPython import get_ipython

    # the inline backend loads with the first figure and sets its formats after that cell; ours come
    # after them
    plt.close(plt.figure())

    get_ipython().events.register("post_run_cell", _take_over)


def _take_over(_result: Any = None) -> None:
    from IPython import get_ipython
    from matplotlib.figure import Figure

    formatters = get_ipython().display_formatter.formatters
    for name in ("image/png", "image/svg+xml", "image/jpeg", "application/pdf"):
        formatters[name].pop(Figure, None)
    formatters["text/html"].for_type(Figure, as_html)


def as_html(figure: Any) -> str:
    """Two <img> of the figure; it is left in its dark form.

    A picture that is not shown is not loaded, because of loading="lazy". A phone of 390 pixels
    shows letters of 10 points as 11 CSS pixels in a figure of 4.5 inches.
    """
    said = escape(described(figure), quote=True)
    width, height = (round(inches * CSS_PIXELS) for inches in figure.get_size_inches())
    pictures = []
    for theme in ("light", "dark"):
        if theme == "dark":
            darken(figure)
        pictures.append(
            f'<img class="only-{theme}" width="{width}" height="{height}" loading="lazy"'
            f' alt="{said}" src="data:image/png;base64,{base64.b64encode(_png(figure)).decode()}">'
        )
    return f'<div class="figures">{"".join(pictures)}</div>'


def _png(figure: Any) -> bytes:
    """The figure in 256 colors, which takes about a third of the bytes."""
    from PIL import Image

    drawn, file = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS, transparent=True)
    with Image.open(drawn) as picture:
        few = picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(file, format="png", optimize=True)
    return file.getvalue()


def described(figure: Any) -> str:
    """What a figure shows, in its own words: titles, and the labels of the axes."""
    parts = [figure._suptitle.get_text()] if figure._suptitle else []
    for ax in figure.axes:
        labels = " against ".join(filter(None, (ax.get_ylabel(), ax.get_xlabel())))
        said = (ax.get_title() or ax.get_title(loc="left"), labels)
        parts += [": ".join(filter(None, said))] if any(said) else []
    return " ".join("; ".join(parts).split()) or f"A figure of {len(figure.axes)} pictures"


def darken(figure: Any) -> None:
    """Give every part of the figure the color it has on a dark page."""
    from matplotlib.collections import Collection
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    def of(color: Any) -> Any:
        return dark(to_rgba(color))

    for part in figure.findobj():
        if isinstance(part, (Text, Line2D)):
            part.set_color(of(part.get_color()))
        if isinstance(part, Line2D):
            part.set_markerfacecolor(of(part.get_markerfacecolor()))
            part.set_markeredgecolor(of(part.get_markeredgecolor()))
        elif isinstance(part, Patch):
            face, edge = of(part.get_facecolor()), of(part.get_edgecolor())
            part.set(facecolor=face, edgecolor=edge)
        elif isinstance(part, Collection):
            for name in ("facecolor", "edgecolor"):
                part.set(**{name: [of(color) for color in getattr(part, f"get_{name}")()]})


def dark(color: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The RGBA that stands for this one on a dark page."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*color[:3])
    if saturation < _GREY or lightness in (0.0, 1.0):
        lightness = 0.12 + 0.8 * (1 - lightness)
    else:
        lightness = max(lightness, _DIM)
    return (*colorsys.hls_to_rgb(hue, lightness, saturation), color[3])
