"""A large file is read through ArrayBatchLoader, its adapter and module 08's DataLoader, and
resident memory stays small. In the long tests the file has 2 GB.
"""

import json
import os

import pytest

LIMIT_BYTES = 300 * 2**20
SIZES = [
    pytest.param(512 * 2**20, id="512 MB"),
    pytest.param(2**31, id="2 GB", marks=pytest.mark.long),
]

CODE = """
import json, numpy as np
from tinytorch.core.dataloader import DataLoader
from tinytorch.data.batch_loader import ArrayBatchLoader, BatchLoaderDataset, SliceBatchLoader

records = {size} // 3072
images = np.memmap({path!r}, np.uint8, "r", shape=(records, 3072))
loader = ArrayBatchLoader(images, np.arange(records) % 10)
seen = total = 0
if {adapter}:
    for inputs, labels in DataLoader(BatchLoaderDataset(loader), batch_size=512):
        seen, total = seen + len(labels), total + int(inputs.data[:, 0].sum())
else:
    part = SliceBatchLoader(loader, 0, records)
    for start in range(0, records, 512):
        batch = part.get_batch(start, min(start + 512, records))
        seen, total = seen + len(batch), total + int(batch.inputs["input"].sum())
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
print(json.dumps({{"seen": seen, "records": records, "total": total, "peak": peak}}))
"""


@pytest.mark.skipif(
    not os.path.exists("/proc/self/status"),
    reason="the peak of resident memory is read in /proc, which this system has not",
)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("adapter", [True, False], ids=["through the DataLoader", "range by range"])
def test_a_large_file_streams_through_under_300_megabytes(references, tmp_path, adapter, size):
    path = tmp_path / "images.bin"
    # a sparse file: it uses no disk space, and every byte reads as 0
    with open(path, "wb") as file:
        file.seek(3072 * 1000)
        file.write(b"\x05")
        file.truncate(size)
    done = references("08a").run(CODE.format(path=str(path), adapter=adapter, size=size))
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["seen"] == said["records"] == size // 3072 and said["total"] == 5
    assert said["peak"] < LIMIT_BYTES, f"{said['peak'] / 2**20:.0f} MB"
