"""A large file streamed by two workers: no process ever holds more than a small part of the file.
In the long tests the file has 2 GB.
"""

import json
from pathlib import Path

import numpy as np
import pytest

LIMIT_BYTES = 300 * 2**20

CODE = """
import json, sys
import numpy as np
from tinytorch.core.dataloader import MemmapDataset
from tinytorch.data.callback_loader import DataLoader

def peak(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

if __name__ == "__main__":
    dataset = MemmapDataset(sys.argv[1], sys.argv[2])
    with_two = DataLoader(dataset, bs=32, shuffle=True, num_workers=2, persistent_workers=True,
                          start_method="fork")
    seen = total = 0
    for images, labels in with_two:
        seen, total = seen + len(labels), total + int(images.data[:, 0, 0, 0].sum())
    print(json.dumps({"seen": seen, "total": total, "samples": len(dataset),
                      "peaks": [peak(pid) for pid in ("self", *with_two._pool.pids)]}))
    with_two.close()
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(),
    reason="the peak of resident memory is read in /proc, which this system has not",
)
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(512 * 2**20, id="512 MB"),
        pytest.param(2**31, id="2 GB", marks=pytest.mark.long),
    ],
)
def test_a_large_file_is_streamed_by_two_workers_with_no_process_over_300_megabytes(
    references, tmp_path, size
):
    shape = (size // (3 * 256 * 256) + 1, 3, 256, 256)
    # a sparse file, which uses no disk space
    images = np.lib.format.open_memmap(
        tmp_path / "images.npy", mode="w+", dtype=np.uint8, shape=shape
    )
    images[-1, 0, 0, 0] = 5
    del images
    np.save(tmp_path / "labels.npy", np.zeros(shape[0], np.uint8))
    assert (tmp_path / "images.npy").stat().st_size > size
    code = (
        f"import sys; sys.argv = ['-c', {str(tmp_path / 'images.npy')!r},"
        f" {str(tmp_path / 'labels.npy')!r}]\n{CODE}"
    )
    done = references("08b").run(code)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["seen"] == said["samples"] == shape[0] and said["total"] == 5
    assert len(said["peaks"]) == 3 and max(said["peaks"]) < LIMIT_BYTES, [
        f"{peak / 2**20:.0f} MB" for peak in said["peaks"]
    ]
