"""Hidden: keys, experiments, the adapter and the counts, on random inputs."""

import numpy as np
import pytest

from tinytorch.datasets import write_batch
from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("contract_memo")
def test_every_value_of_an_argument_counts(tt, draw):
    order = draw.permutation(5000)  # long enough for repr() to leave most of it out
    keys = {tt.memo_key(tt.count_file_loads, (order, 10), {})}
    for place in (100 + draw.choice(4800, 5, replace=False)).tolist():
        changed = order.copy()
        changed[[place, place + 1]] = changed[[place + 1, place]]
        keys.add(tt.memo_key(tt.count_file_loads, (changed, 10), {}))
    expect(
        len(keys) == 6 and all(isinstance(key, str) for key in keys),
        "Two values exchanged anywhere in an array are another call.",
        call="six orders of 5000",
        got=f"{len(keys)} keys",
        want="6 keys",
    )
    kinds = {tt.memo_key(tt.hit_rate, (value, 10), {}) for value in (1, 1.0, True, "1")}
    expect(
        len(kinds) == 4,
        "1, 1.0, True and '1' are four values.",
        call="hit_rate of each",
        got=f"{len(kinds)} keys",
        want="4 keys",
    )


@pytest.mark.contract("contract_experiment")
def test_lengths_and_slots_come_from_the_configuration(tt, tmp_path, draw):
    files, length, test_length = (
        int(draw.integers(2, 5)),
        int(draw.integers(3, 6)),
        int(draw.integers(6, 9)),
    )
    for number in range(files):
        write_batch(
            tmp_path / f"data_batch_{number + 1}",
            np.zeros((length, 3072), np.uint8),
            [number] * length,
        )
    write_batch(tmp_path / "test_batch", np.zeros((test_length, 3072), np.uint8), [9] * test_length)
    settings = {
        "path": tmp_path,
        "file_length": length,
        "test_file_length": test_length,
        "cache_size": 2,
    }
    records = int(draw.integers(1, files * length))
    training, validation = tt.make_data_loaders({"data": settings}, {"training_records": records})
    got = (
        len(training),
        len(validation),
        set(validation.get_batch(0, test_length).outputs["output"].tolist()),
    )
    expect(
        got == (records, test_length, {9}),
        "Lengths come from the configuration, the number of training records from hparams.",
        call=f"make_data_loaders({settings}, ...)",
        got=got,
        want=(records, test_length, {9}),
    )
    expect_raises(
        IndexError,
        lambda: training.get_batch(0, records + 1),
        "training_records ends the training records.",
        call=f"get_batch(0, {records + 1}) of {records}",
    )
    expect(
        validation.cache.slots == 2,
        "cache_size reaches the loaders.",
        call="validation.cache.slots",
        got=validation.cache.slots,
        want=2,
    )


class Records:
    def __init__(self, tt, values):
        self.tt, self.column, self.ranges = tt, values, []

    def __len__(self):
        return len(self.column)

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        return self.tt.Batch(
            {"x": self.column[start:end], "square": self.column[start:end] ** 2},
            self.column[start:end],
        )


@pytest.mark.contract("contract_dataset")
def test_a_gather_through_ranges_is_a_gather(tt, draw):
    values = draw.normal(0, 1, 50)
    loader = Records(tt, values)
    for _round in range(6):
        indices = draw.integers(0, 50, int(draw.integers(0, 30)))
        loader.ranges.clear()
        inputs, outputs = tt.BatchLoaderDataset(loader).__getitems__(indices)
        same = (
            np.array_equal(inputs["x"].data, values[indices])
            and np.array_equal(inputs["square"].data, values[indices] ** 2)
            and np.array_equal(outputs.data, values[indices])
        )
        expect(
            same,
            "The batch of any indices is that gather of the records, under every name.",
            call=f"__getitems__({indices.tolist()[:10]}...)",
            got="other records",
        )
        read = [index for start, end in loader.ranges for index in range(start, end)]
        expect(
            read == sorted(set(indices.tolist())),
            "Each record is read once, in ascending order.",
            call=f"__getitems__({indices.tolist()[:10]}...)",
            got=read[:12],
        )


@pytest.mark.contract("contract_measure")
def test_counts_agree_with_a_plain_model(tt, draw):
    for _round in range(6):
        n, length, batch_size, slots = (
            int(draw.integers(low, high)) for low, high in ((1, 80), (3, 12), (1, 9), (1, 4))
        )
        order, held, loads = draw.permutation(n), [], 0
        for start in range(0, n, batch_size):
            for file in sorted(set((order[start : start + batch_size] // length).tolist())):
                if file in held:
                    held.remove(file)
                else:
                    loads += 1
                held = [*held, file][-slots:]
        got = tt.count_file_loads(order, length, batch_size, slots)
        expect(
            got == loads,
            "The count is that of the cache, batch by batch.",
            call=f"count_file_loads(permutation of {n}, {length}, {batch_size}, {slots})",
            got=got,
            want=loads,
        )


@pytest.mark.contract("contract_measure")
def test_within_files_every_record_once(tt, draw):
    for _round in range(6):
        n, length, seed = (
            int(draw.integers(0, 60)),
            int(draw.integers(1, 15)),
            int(draw.integers(1000)),
        )
        order = tt.within_files_order(n, length, seed)
        files = (order // length).tolist()
        expect(
            order.dtype == np.int64
            and sorted(order.tolist()) == list(range(n))
            and files == sorted(files),
            "Every record comes once, file after file.",
            call=f"within_files_order({n}, {length}, {seed})",
            got=order.tolist()[:12],
        )
