"""Libraries that make a loader of their own from a wrapped one: it is measured, and it gives what
it gives without the profiler.
"""

import numpy as np
import pytest

from tinytorch.profiler import Profiler

pytestmark = pytest.mark.torch
BATCHES, EPOCHS = 6, 2


class Rows:
    def __len__(self):
        return 4 * BATCHES

    def __getitem__(self, index):
        return np.full(3, index, np.float32)


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")


def from_its_attributes(loader):
    """As Accelerate's `skip_first_batches`, and many programs, do."""
    from torch.utils.data import DataLoader

    names = ("batch_sampler", "num_workers", "collate_fn")
    settings = {name: getattr(loader, name) for name in names}
    return lambda: DataLoader(loader.dataset, **settings)


def of_its_type(loader):
    """As Lightning's loader with another sampler."""
    kept = {name: vars(loader)[name] for name in ("dataset", "num_workers", "collate_fn")}
    return lambda: type(loader)(**kept, batch_sampler=loader.batch_sampler)


def by_accelerate(loader):
    library = pytest.importorskip("accelerate", reason="make test-torch")
    prepared = library.Accelerator(cpu=True).prepare(loader)
    return lambda: prepared


def by_lightning(loader):
    """A trainer with `overfit_batches` makes the loader anew, with a sampler of its own."""
    library = pytest.importorskip("lightning.fabric.utilities.data", reason="make test-torch")
    made = library._update_dataloader(loader, loader.sampler)
    return lambda: made


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("make", [from_its_attributes, of_its_type, by_accelerate, by_lightning])
def test_what_a_library_makes_from_a_wrapped_loader_is_measured(make, workers, torch):
    def batches_of(wrap):
        loader = torch.utils.data.DataLoader(
            Rows(), 4, num_workers=workers, shuffle=True, generator=torch.Generator().manual_seed(1)
        )
        torch.manual_seed(0)
        made = make(wrap(loader))
        epochs = [[batch.tolist() for batch in made()] for _ in range(EPOCHS)]
        assert type(loader.collate_fn).__name__ == "function"
        return epochs

    with Profiler(detail=True) as profiler:
        watched = batches_of(profiler.wrap)
    assert watched == batches_of(lambda loader: loader)
    report = profiler.report()
    assert report.batches == EPOCHS * BATCHES and profiler.names == ["DataLoader"]
    assert report.unseen == "" and report.stages["fetch"] > 0 and report.stages["collate"] > 0


def test_a_loader_whose_wrapped_one_was_only_looked_at_is_not_recorded(torch):
    profiler = Profiler()
    loader = torch.utils.data.DataLoader(Rows(), 4)
    assert profiler.wrap(loader).collate_fn([np.zeros(3)]).shape == (1, 3)
    assert len(list(loader)) == BATCHES and profiler.names == []
