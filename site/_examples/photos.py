import io

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from tinytorch.profiler import Profiler, profile_loader


class Photos(Dataset):
    def __init__(self):
        noise = np.random.default_rng(0).integers(0, 256, (32, 32, 3), np.uint8)
        file = io.BytesIO()
        Image.fromarray(noise).resize((256, 256)).save(file, "JPEG")
        self.files = [file.getvalue()] * 1024

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        image = Image.open(io.BytesIO(self.files[index])).resize((64, 64))
        return torch.from_numpy(np.array(image)).permute(2, 0, 1) / 255


def make(batch_size=32, num_workers=0):
    return DataLoader(Photos(), batch_size, shuffle=True, num_workers=num_workers)


torch.set_num_threads(1)  # leaves the other cores to workers
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 64 * 64, 10))


def step(images):
    model(images).square().mean().backward()


def make_with_step(batch_size=32, num_workers=0):
    return make(batch_size, num_workers), step


if __name__ == "__main__":
    p = Profiler()
    for batch in p.wrap(make()):
        step(batch)
    print(p.report())
    print(profile_loader(make, step, quick=True).verdict)
