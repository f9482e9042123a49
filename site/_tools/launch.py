"""Addresses behind the launch buttons, computed from the setting `repository_url` in
tito.toml.
"""

from __future__ import annotations

import re
from urllib.parse import quote

BRANCH = "HEAD"  # the repository's default branch, whatever it is called
BINDER = "https://mybinder.org/v2"
COLAB = "https://colab.research.google.com/github"
_ADDRESS = re.compile(
    r"https://(?:www\.)?(?P<host>github\.com|gitlab\.com)/(?P<path>[\w.-]+(?:/[\w.-]+)+)", re.ASCII
)


def links(repository_url: str, notebook_path: str) -> dict[str, str]:
    """Return the launch buttons of a notebook: what each says, and its address.

    Args:
        repository_url: https://github.com/OWNER/NAME or https://gitlab.com/GROUP/.../NAME; empty:
            no buttons.
        notebook_path: of the notebook in that repository, with slashes.

    Returns:
        Binder, Colab (which opens notebooks from GitHub only) and the file itself; {} while
        `repository_url` is empty.

    Raises:
        ValueError: the address is of another kind.
    """
    if not repository_url.strip():
        return {}
    host, project = project_of(repository_url.strip())
    path = quote(notebook_path)
    # a path with %20 in it is escaped once more, as a part of a query
    query = f"urlpath={quote(f'lab/tree/{path}', safe='')}"
    if host == "github.com":
        return {
            "Open in Binder": f"{BINDER}/gh/{project}/{BRANCH}?{query}",
            "Open in Colab": f"{COLAB}/{project}/blob/{BRANCH}/{path}",
            "Download the notebook": f"https://raw.githubusercontent.com/{project}/{BRANCH}/{path}",
        }
    return {
        "Open in Binder": f"{BINDER}/gl/{quote(project, safe='')}/{BRANCH}?{query}",
        "Download the notebook": f"https://gitlab.com/{project}/-/raw/{BRANCH}/{path}?inline=false",
    }


def project_of(url: str) -> tuple[str, str]:
    """Host and project of an address, such as ("github.com", "owner/name")."""
    match = _ADDRESS.fullmatch(url.removesuffix("/").removesuffix(".git"))
    parts = match["path"].split("/") if match else []
    deep = match and match["host"] == "github.com" and len(parts) != 2
    if not match or deep or any(not part.strip(".") for part in parts):
        raise ValueError(
            "repository_url is https://github.com/OWNER/NAME or https://gitlab.com/GROUP/NAME, or"
            f" empty for no launch buttons; got {url!r}. Repair it in tito.toml"
        )
    return match["host"], match["path"]
