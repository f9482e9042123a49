"""What a reader sees on a page that is open in a browser: pictures, contrast, what is too wide.

Each function returns texts, one for each fault.
"""

from __future__ import annotations

from typing import Any


def pictures(page: Any) -> list[str]:
    """Pictures without an alternative text, without a size, or loaded though they are not shown."""
    return page.evaluate(_PICTURES)


def pale_texts(page: Any, theme: str) -> list[str]:
    """Texts whose contrast is too low once the page has the colors of a theme."""
    page.evaluate(_SET_THEME, theme)
    return [
        f"{theme}: {text!r} has a contrast of {ratio:.2f}, WCAG AA wants {wanted}"
        for text, ratio, wanted in page.evaluate(_CONTRAST)
    ]


def too_wide(page: Any, width: int, *, code_fits: bool) -> list[str]:
    """What makes a page of `width` CSS pixels scroll sideways.

    Args:
        code_fits: whether a block of code that has to be scrolled is a fault too.
    """
    found = [
        f"at {width} px the page scrolls sideways: {part}"
        for part in page.evaluate(_TOO_WIDE, width)
    ]
    if code_fits:
        found += [f"at {width} px code is cut off: {text!r}" for text in page.evaluate(_CUT_OFF)]
    return found


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
# Blocks of code whose lines go on past their edge.
_CUT_OFF = """() => [...document.querySelectorAll("article pre")]
  .filter(box => box.scrollWidth > box.clientWidth + 1 && box.checkVisibility())
  .slice(0, 3)
  .map(box => {
    const lines = box.textContent.split("\\n");
    return lines.reduce((a, b) => a.length >= b.length ? a : b).trim().slice(0, 80);
  })"""
# WCAG 2.2, 1.4.3: 4.5:1, and 3:1 for text of 24 px, or of 18.66 px in bold. Colors are those that
# are computed; what is behind a text is the nearest ancestor's background that is not see-through,
# blended.
_CONTRAST = """() => {
  const rgba = text => {
    const found = text.match(/[\\d.]+/g).map(Number);
    return found.length === 3 ? [...found, 1] : found;
  };
  const over = (top, under) => {
    const mixed = [0, 1, 2].map(k => top[k] * top[3] + under[k] * (1 - top[3]));
    return [...mixed, 1];
  };
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = color => {
    const part = color.slice(0, 3).map(v => linear(v / 255));
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = new Map();
  const ground = node => {
    if (!node) return [255, 255, 255, 1];
    if (!behind.has(node)) {
      const own = rgba(getComputedStyle(node).backgroundColor);
      behind.set(node, own[3] === 1 ? own : over(own, ground(node.parentElement)));
    }
    return behind.get(node);
  };
  const seen = { checkOpacity: true, checkVisibilityCSS: true };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), part = walker.currentNode.parentElement;
    if (!text || !part.checkVisibility(seen)) continue;
    if (part.closest("script, style, [hidden], [inert]")) continue;
    if (part.getBoundingClientRect().width < 2) continue;
    const style = getComputedStyle(part), size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const back = ground(part), ink = part.closest("svg") ? style.fill : style.color;
    if (!/^rgb/.test(ink)) continue;
    const a = light(over(rgba(ink), back)), b = light(back), wanted = large ? 3 : 4.5;
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < wanted - 0.005) found.push([text.slice(0, 40), ratio, wanted]);
  }
  return found.slice(0, 5);
}"""
