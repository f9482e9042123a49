"""The cost of returning freed memory to the kernel: normalize a batch with and without the line in
tinytorch.core.tensor that prevents it.

    python benchmarks/page_faults.py

Both ways run in turn, each in a fresh process; the median of the rounds is printed. This needs
Linux with glibc; elsewhere both ways are the same.
"""

import statistics
import subprocess
import sys
from pathlib import Path

ROUNDS = 7
CODE = """
import sys, time
import numpy as np
if sys.argv[1] == "kept":
    import tinytorch.core.tensor
try:
    import resource
    faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
except ImportError:
    faults = lambda: 0
images = np.random.default_rng(0).integers(0, 256, (128, 3, 32, 32)).astype(np.uint8)
mean = np.array([120, 110, 100.0]).reshape(3, 1, 1)
for warm in range(5):
    (images - mean) / mean
before, start = faults(), time.perf_counter()
for again in range(50):
    (images - mean) / mean
print((time.perf_counter() - start) / 50, (faults() - before) / 50)
"""


def main() -> None:
    found: dict[str, list[tuple[float, float]]] = {"given back": [], "kept": []}
    for _ in range(ROUNDS):
        for way, rounds in found.items():
            told = subprocess.run(
                [sys.executable, "-c", CODE, way],
                cwd=Path(__file__).parents[1],
                capture_output=True,
                text=True,
                check=True,
            )
            seconds, faults = map(float, told.stdout.split())
            rounds.append((seconds, faults))
    times = {
        way: statistics.median(seconds for seconds, _ in rounds) for way, rounds in found.items()
    }
    for way, rounds in found.items():
        print(
            f"{way:<11} {1e6 * times[way]:8.0f} us a batch,"
            f" {statistics.median(faults for _, faults in rounds):6.0f} page faults,"
            f" {times['given back'] / times[way]:.1f} times as fast"
        )


if __name__ == "__main__":
    main()
