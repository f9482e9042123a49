"""Rows of a large memory-mapped file go through a pipeline, and no process ever has 300 MB in
memory. In the long tests the file has 2 GB.
"""

import sys

import numpy as np
import pytest

ROW_BYTES = 256 * 1024  # the file is sparse, so it takes no room on disk
LIMIT_MB = 300

STREAM = """
import os
import numpy as np
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.pipeline import pipeline

def peak_mb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

def summed(row):
    return {"label": row["label"], "sum": row["image"][:4096].sum(dtype=np.int64),
            "pid": os.getpid(), "peak": peak_mb() if row["label"] % 64 == 0 else 0.0}

if __name__ == "__main__":
    images = np.memmap(FILE, np.uint8, "r", shape=(ROWS, ROW_BYTES))
    ds = ColumnDataset({"image": images, "label": np.arange(ROWS)})
    steps = pipeline(ds, seed=0).shuffle(buffer_size=32).transform(summed).batch(32)
    loader = steps.numpy(num_workers=WORKERS)
    rows, total, peaks = 0, 0, {}
    for batch in loader:
        rows, total = rows + len(batch["label"]), total + int(batch["sum"].sum())
        for pid, peak in zip(batch["pid"].tolist(), batch["peak"].tolist()):
            peaks[pid] = max(peaks.get(pid, 0), peak)
    peaks[os.getpid()] = peak_mb()
    print(rows, total, len(peaks), max(peaks.values()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(2_048, id="512 MB"),
        pytest.param(8_192, id="2 GB", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("workers", [0, 2])
def test_a_large_file_streams_in_less_than_300_megabytes(references, tmp_path, workers, rows):
    path = tmp_path / "images.bin"
    with open(path, "wb") as file:
        file.truncate(rows * ROW_BYTES)
    marked = np.memmap(path, np.uint8, "r+", shape=(rows, ROW_BYTES))
    marked[::512, 0] = 1  # so that rows that arrive differ from zeros
    marked.flush()
    del marked
    code = (
        f"FILE, ROWS, ROW_BYTES, WORKERS = {str(path)!r}, {rows}, {ROW_BYTES}, {workers}\n{STREAM}"
    )
    done = references("08c").run(code)
    assert done.returncode == 0, done.stderr
    seen, total, processes, peak_mb = done.stdout.split()
    assert (int(seen), int(total), int(processes)) == (rows, rows // 512, workers + 1)
    assert float(peak_mb) < LIMIT_MB
