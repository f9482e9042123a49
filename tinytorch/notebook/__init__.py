"""The notebook extension: `%load_ext tinytorch` shows batches and loaders as pictures and adds
`%%profile`, `%hint` and `%test`.

    %load_ext tinytorch
    next(iter(loader))              # count, shapes, dtypes, a grid of images with their labels
    loader                          # dataset, order, batches, the shorter last batch
    %%profile loader                # first line of a cell: runs the cell, says where the time goes
                                    # and what to improve
    %hint epoch_order               # one hint at a time, as `tito hint` gives them
    %test 3a                        # all public tests of an exercise, as `tito test` runs them

This package never imports IPython: the extension uses the shell that IPython passes to it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(ipython: Any) -> None:
    """Add `%%profile`, `%profile`, `%hint` and `%test` to the shell, and the pictures of batches
    and loaders. From now on linear algebra computes with one thread: on a busy laptop several
    threads wait for each other, and a small network trains ten times slower.
    """
    from tinytorch.linear_algebra import one_thread
    from tinytorch.notebook.command import test
    from tinytorch.notebook.hint_magic import hint
    from tinytorch.notebook.profiling import profile
    from tinytorch.notebook.register_displays import register

    def run_profile(line: str, cell: str | None = None) -> None:
        __tracebackhide__ = True  # an error in the cell is shown from the cell on
        profile(ipython, line, cell)

    run_profile.__doc__ = profile.__doc__  # `%%profile?` shows it
    ipython.register_magic_function(run_profile, "line_cell", "profile")
    ipython.register_magic_function(hint, "line", "hint")
    ipython.register_magic_function(test, "line", "test")
    register(ipython)
    one_thread()


def unload_ipython_extension(ipython: Any) -> None:
    """Remove what `load_ipython_extension` added."""
    from tinytorch.notebook.register_displays import unregister

    for kind in ("line", "cell"):
        for name in ("profile", "hint", "test"):
            ipython.magics_manager.magics[kind].pop(name, None)
    unregister(ipython)
