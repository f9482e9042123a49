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
            ' python -m pip install -c constraints.txt -e ".[dev]"'
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
    if contrast:
        options["runOnly"] = [_CONTRAST]
    elif contrast is False:
        options["rules"] = {_CONTRAST: {"enabled": False}}
    said = page.evaluate(_RUN, options)
    return [f"axe {rule}: {meaning}: {shown}" for rule, meaning, shown in said]


_CONTRAST = "color-contrast"
_RUN = """async options => {
  const found = await axe.run(document, options);
  return found.violations.map(one => [one.id, one.help, one.nodes[0].html.slice(0, 120)]);
}"""
