"""The share of each stage of loading as a bar in HTML, in the colors of the profiler's pictures."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from tinytorch.notebook import page

INK = "#000000"  # text inside a colored part; its contrast is at least 6:1 on each color
ROOM_FOR_WORDS = 0.16  # of the bar; the text of a smaller part is written below the bar
LEAST_SHARE = 0.005


def stages_html(stages: Mapping[str, float]) -> tuple[str, str] | None:
    """Return the picture in words and as HTML; None when loading took no time.

    Args:
        stages: seconds (or shares) by stage: fetch, transform, collate, other.
    """
    from tinytorch.profiler.pictures.style import STAGE_COLORS

    total = sum(stages.values())
    if not total:
        return None
    shares = {stage: seconds / total for stage, seconds in stages.items()}
    largest = max(shares, key=shares.__getitem__)
    title = (
        f"{'The rest of the loader' if largest == 'other' else largest.capitalize()} takes"
        f" {shares[largest]:.0%} of the loading time"
    )
    words = f"{title}: {', '.join(f'{stage} {share:.0%}' for stage, share in shares.items())}"
    shown = {stage: share for stage, share in shares.items() if share >= LEAST_SHARE}
    bar = "".join(
        f'<div style="width:{100 * share:.4g}%;background:{STAGE_COLORS[stage]};color:{INK};'
        'text-align:center;overflow:hidden;white-space:nowrap">'
        f"{escape(f'{stage} {share:.0%}') if share >= ROOM_FOR_WORDS else ''}</div>"
        for stage, share in shown.items()
    )
    below = "".join(
        '<span style="margin-right:14px;white-space:nowrap">'
        '<span style="display:inline-block;width:11px;height:11px;'
        f'background:{STAGE_COLORS[stage]};border:1px solid {page.LINE}"></span>'
        f" {escape(f'{stage} {share:.0%}')}</span>"
        for stage, share in shown.items()
        if share < ROOM_FOR_WORDS
    )
    return words, page.block(
        page.heading(title),
        f'<div role="img" aria-label="{escape(words)}"'
        ' style="display:flex;gap:1px;height:28px;line-height:28px;max-width:640px;margin:4px'
        f' 0;font-size:92%">{bar}</div>',
        f'<div style="font-size:92%">{below}</div>' if below else "",
    )
