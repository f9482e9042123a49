"""Promises of the three estimates. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect, near


@pytest.mark.contract("test_cache_bytes")
def test_the_memory_of_a_full_cache(tt):
    got = tt.cache_bytes(5, 10_000, (3, 32, 32))
    expect(
        near(got, 153.6e6, within=0.01),
        "The result is the memory of all images in these files, in bytes.",
        call="cache_bytes(5, 10_000, (3, 32, 32))",
        got=got,
        want="153600000",
        look="5 files x 10,000 records x 3,072 bytes = 153,600,000 bytes",
    )
    for shape, want in (((3, 28, 28), 470_400), ((28, 28), 156_800), ((7,), 1_400)):
        got = tt.cache_bytes(2, 100, shape)
        expect(
            near(got, want, within=0.01),
            "Every dimension of an image counts, whatever their number.",
            call=f"cache_bytes(2, 100, {shape})",
            got=got,
            want=f"{want}",
            look=f"2 files x 100 records x {want // 200:,} bytes = {want:,} bytes",
        )


@pytest.mark.contract("test_load_seconds")
def test_the_time_of_the_loads_of_a_shuffled_epoch(tt):
    got = tt.load_seconds(50_000, 5, 1, 0.05)
    expect(
        near(got, 2000, within=0.01),
        "A record costs a load if its file is not held.",
        call="load_seconds(50_000, 5, 1, 0.05)",
        got=got,
        want="2000",
        look="50,000 records x 4/5 x 0.05 s = 2,000 s",
    )
    got = tt.load_seconds(10, 5, 4, 1.0)
    expect(
        near(got, 2, within=0.01),
        "A record costs a load if its file is not held.",
        call="load_seconds(10, 5, 4, 1.0)",
        got=got,
        want="2",
        look="10 records x 1/5 x 1 s = 2 s; the cache is not empty at first",
    )
    for slots, want in ((2, 1500), (4, 500)):
        got = tt.load_seconds(50_000, 5, slots, 0.05)
        expect(
            near(got, want, within=0.01),
            "With more slots, fewer records cost a load.",
            call=f"load_seconds(50_000, 5, {slots}, 0.05)",
            got=got,
            want=f"{want}",
            look=f"50,000 records x {5 - slots}/5 x 0.05 s = {want:,} s",
        )


@pytest.mark.contract("test_sequential_hit_rate")
def test_the_hit_rate_of_reading_in_order(tt):
    for file_length, batch_size, want in ((500, 50, 0.9), (12, 6, 0.5)):
        got = tt.sequential_hit_rate(file_length, batch_size)
        batches = file_length // batch_size
        expect(
            near(got, want, within=0.01),
            "All batches of a file but the first are hits.",
            call=f"sequential_hit_rate({file_length}, {batch_size})",
            got=got,
            want=f"{want}",
            look=f"{batches} batches a file, {batches - 1} of them are hits",
        )
    got = tt.sequential_hit_rate(10_000, 8)
    expect(
        near(got, 0.9992, within=1e-9),
        "All batches of a file but the first are hits.",
        call="sequential_hit_rate(10_000, 8)",
        got=got,
        want="0.9992",
        look="1,250 batches a file, 1,249 of them are hits; nothing is rounded",
    )
    got = tt.sequential_hit_rate(64, 64)
    expect(
        got == 0,
        "All batches of a file but the first are hits.",
        call="sequential_hit_rate(64, 64)",
        got=got,
        want="0.0",
        look="1 batch a file, 1 load and 0 hits",
    )
