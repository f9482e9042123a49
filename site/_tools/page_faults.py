"""What a reader sees on a page that is open in a browser: pictures, themes, what is too wide.

Functions that look return texts, one for each fault.
"""

from __future__ import annotations

from typing import Any


def pictures(page: Any) -> list[str]:
    """Pictures without an alternative text, without a size, or loaded though they are not shown."""
    return page.evaluate(_PICTURES)


def set_theme(page: Any, theme: str) -> None:
    """Give the page the colors of a theme at once."""
    page.evaluate(_SET_THEME, theme)


def too_wide(page: Any, width: int) -> list[str]:
    """What makes a page of `width` CSS pixels scroll sideways."""
    parts = page.evaluate(_TOO_WIDE, width)
    return [f"at {width} px the page scrolls sideways: {part}" for part in parts]


# A color that is still on its way from one theme to the other would be neither.
_SET_THEME = """theme => {
  document.head.insertAdjacentHTML("beforeend", "<style>* { transition: none !important }</style>");
  document.body.dataset.theme = theme;
}"""
_PICTURES = """() => {
  const found = [];
  for (const image of document.images) {
    const shown = image.outerHTML.replace(/data:[^"]*/, "data:").slice(0, 120);
    const alt = (image.getAttribute("alt") || "").trim();
    if (!alt && image.getAttribute("role") !== "presentation")
      found.push(`an image has no alternative text: ${shown}`);
    if (!(image.getAttribute("width") && image.getAttribute("height")))
      found.push(`an image has no width or no height, so the text below it moves: ${shown}`);
    const hidden = image.matches(".only-light, .only-dark")
      && getComputedStyle(image).display === "none";
    if (hidden && image.naturalWidth)
      found.push(`a picture for the other theme is loaded: ${shown}`);
  }
  return found;
}"""
# What reaches past the screen's edge and is not inside a box of its own that scrolls.
_TOO_WIDE = """limit => {
  const past = part => part.getBoundingClientRect().right > limit + 1;
  const ends = box => !box || box.tagName === "ARTICLE" || box === document.body;
  const scrolls = part => {
    for (let box = part; !ends(box); box = box.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX) && !past(box))
        return true;
    return false;
  };
  const parts = [...document.querySelectorAll("article *")];
  const wide = parts.filter(part => past(part) && !scrolls(part));
  const found = wide.slice(0, 2).map(part => part.outerHTML.slice(0, 120));
  const whole = document.documentElement.scrollWidth;
  return whole > limit && !found.length ? [`${whole} px wide`] : found;
}"""
