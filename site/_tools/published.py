"""Where the pages are published: the setting `site_url` in tito.toml, or what follows from the
address of the repository.
"""

from __future__ import annotations

from pathlib import Path

from tito.errors import WorkError
from tito.workspace import read_settings

from .launch import project_of


def site_url(root: Path) -> str:
    """The address of the site, ending in a slash; empty while the course has no public home.

    Raises:
        WorkError: `site_url` is no address of the web.
        ValueError: `repository_url` is of an unknown kind.
    """
    settings = read_settings(root)
    given, repository = settings.site_url, settings.repository_url
    if given.strip():
        if not given.strip().startswith(("https://", "http://")):
            raise WorkError(
                f"site_url is an address such as https://OWNER.github.io/NAME/; got {given!r}."
                " Repair it in tito.toml, then: tito site build"
            )
        return given.strip().rstrip("/") + "/"
    if not repository.strip():
        return ""
    host, project = project_of(repository.strip())
    owner, _, name = project.partition("/")
    pages = "github.io" if host == "github.com" else "gitlab.io"
    if name.lower() == f"{owner}.{pages}".lower():  # the pages of an owner, not of a project
        return f"https://{owner.lower()}.{pages}/"
    return f"https://{owner.lower()}.{pages}/{name}/"
