"""The command line `tito`, and the functions behind it."""


def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("tinytorch-course")
    except metadata.PackageNotFoundError:
        return "0 (not installed)"
