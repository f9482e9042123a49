"""Fill page templates. Every value is shown as text; only the templates themselves contain markup.

Jinja2 is imported when the first page is made.
"""

import functools
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).resolve().parent / "templates"


def rendered(template: str, **values: Any) -> str:
    """The template of this name in `templates/`, filled with `values`."""
    return _environment().get_template(template).render(values)


@functools.cache
def _environment() -> Any:
    """Templates that escape every value and raise an error if a value is missing."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.do"],
    )
    environment.filters["points"] = lambda value: f"{value:g}"
    return environment
