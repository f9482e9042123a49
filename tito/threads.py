"""One thread for the linear algebra of a child process.

NumPy's thread pools fight over few cores, and they would make CPU seconds depend on the machine.
`tinytorch.data.quiet_start` names the same variables for itself: tinytorch does not import tito.
"""

from __future__ import annotations

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)
