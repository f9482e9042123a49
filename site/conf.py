"""Sphinx's configuration. The pages beside it are staged by site/_tools; `tito site build` runs
all of it.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

author = "the course's maintainers"  # title and license are those of tito.toml
extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton", "sphinx.ext.autodoc"]
extensions += ["sphinx.ext.napoleon", "flowchart", "page_parts"]
default_role = "code"  # the backticks of docstrings
napoleon_use_ivar = True
add_module_names = False
autodoc_member_order = "bysource"
html_domain_indices = False
exclude_patterns = ["_ext", "_static", "_templates", "notebooks"]  # the last: for download only
html_theme = "furo"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_favicon = "_static/favicon.svg"
html_additional_pages = {"404": "404.html"}
html_search_scorer = str(HERE / "_static" / "search_order.js")
html_use_index = False  # no page has entries for one
html_css_files = ["course.css"]
html_js_files = ["keyboard.js"]
html_show_sphinx = False
html_copy_source = False  # a page's source would be beside it
html_show_sourcelink = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#00507d", "color-brand-content": "#00507d"},
    "dark_css_variables": {"color-brand-primary": "#7cc4f0", "color-brand-content": "#7cc4f0"},
}
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 3
myst_ref_domains = ["std"]  # a page's link never means a function of the same name
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
