"""axe-core on a page that is open in a browser. The package axe-playwright-python carries its
script, so nothing is fetched.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken

PACKAGE = "axe_playwright_python"


@lru_cache
def script() -> str:
    """The text of axe-core.

    Raises:
        EnvironmentBroken: its package is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentBroken(
            "the check runs axe-core on each page; axe-playwright-python is not installed. Run:"
            " python -m pip install 'tinytorch-course[dev]'"
        )
    path = Path(spec.submodule_search_locations[0]) / "axe.min.js"
    return path.read_text(encoding="utf-8")


def violations(page: Any, *, contrast: bool | None = None) -> list[str]:
    """A text for each rule of axe-core that the page breaks.

    Args:
        contrast: False leaves out the rule on contrast, which takes longest; True asks it alone.
    """
    page.evaluate(script())
    # axe-core would fetch style sheets to read media queries, which a page in a folder may not
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False, "iframes": False}
    said = []
    if not contrast:
        rules = {_CONTRAST: {"enabled": False}}
        said += page.evaluate(_RUN, [options | {"rules": rules}, "document"])
    if contrast is not False:
        said += page.evaluate(_RUN, [options | {"runOnly": [_CONTRAST]}, "colors"])
    return [f"axe {rule}: {meaning}: {shown}" for rule, meaning, shown in said]


_CONTRAST = "color-contrast"
# "colors" are the visible texts that differ in color, size, weight or in what lies behind them: one
# of each kind is asked, because thousands of words of one kind have one contrast.
_RUN = """async ([options, where]) => {
  const behind = new Map([[null, ""]]);
  const layers = box => {
    if (!behind.has(box)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(box);
      const own = `${backgroundColor} ${backgroundImage} ${opacity};`;
      const plain = own === "rgba(0, 0, 0, 0) none 1;";
      behind.set(box, layers(box.parentElement) + (plain ? "" : own));
    }
    return behind.get(box);
  };
  const colors = () => {
    const kinds = new Map();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const part = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || !part.checkVisibility()) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(part);
      kinds.set(`${color} ${fontSize} ${fontWeight} ${layers(part)}`, part);
    }
    return [...kinds.values()];
  };
  const found = await axe.run(where === "colors" ? { include: colors() } : document, options);
  return found.violations.map(one => [one.id, one.help, one.nodes[0].html.slice(0, 120)]);
}"""
