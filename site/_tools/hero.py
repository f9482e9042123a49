"""The landing page's picture: `tito profile` on a small augmenting loader, drawn by the course's
own profiler, light and dark.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tito.children import ONE_THREAD, finished

LOADER = '''"""What the landing page's picture measures.

Images of CIFAR-10's size, flipped and cropped one by one.
"""

from tinytorch.core.dataloader import Compose, DataLoader, Dataset, RandomCrop, RandomHorizontalFlip
from tinytorch.core.tensor import Tensor
from tinytorch.datasets import synthetic_images


class Augmented(Dataset):
    def __init__(self):
        self.images, self.labels = synthetic_images(2048, seed=0)
        self.transform = Compose([RandomHorizontalFlip(), RandomCrop(32, padding=4)])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return Tensor(self.transform(self.images[index])), Tensor(self.labels[index])


def make_loader(batch_size=32, prefetch=0):
    return DataLoader(Augmented(), batch_size=batch_size, shuffle=True, seed=0, prefetch=prefetch)
'''


def possible(package: Path) -> bool:
    """Whether the package has the loader that is measured; a course made of other modules has
    none.
    """
    return (package / "tinytorch" / "core" / "dataloader.py").is_file()


def draw(package: Path, folder: Path, repository: Path) -> None:
    """Write timeline.png and timeline-dark.png into `folder`.

    Raises:
        RuntimeError: the measurement failed, with what it said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hero_loader.py").write_text(LOADER, encoding="utf-8", newline="\n")
    environment = {
        **os.environ,
        **ONE_THREAD,
        "PYTHONPATH": os.pathsep.join([str(package), str(repository)]),
        "TITO_WORKSPACE": str(package),
        "NO_COLOR": "1",
    }
    words = [
        sys.executable,
        "-m",
        "tito.cli",
        "profile",
        "--loader",
        "hero_loader:make_loader",
        "--step",
        "2",  # milliseconds; without a step there is nothing to draw beside the loading
        "--quick",
        "--style",
        "both",
        "--png",
        str(folder),
    ]
    ended = finished(words, folder, environment)
    if ended.returncode or not (folder / "timeline-dark.png").is_file():
        raise RuntimeError(
            f"the landing page's picture could not be measured:\n{ended.stdout}{ended.stderr}"
        )
