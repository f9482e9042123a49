"""Promises of what a buffer and a restart cost. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect, near


@pytest.mark.contract("test_fill_time")
def test_filling_a_buffer_takes_bytes_over_bandwidth(tt):
    got = tt.fill_time(3000, 150e6)
    expect(
        near(got, 20, within=0.01),
        "The time is the bytes of the buffer divided by the bytes per second.",
        call="fill_time(3000, 150e6)",
        got=got,
        want="20 (seconds)",
        look="3,000 x 10**6 bytes / (150 x 10**6 bytes/s) = 20 s",
    )


@pytest.mark.contract("test_fill_time")
def test_seconds_need_not_be_whole(tt):
    got = tt.fill_time(3, 4_000_000)
    expect(
        near(got, 0.75, within=0.01),
        "The time is the bytes of the buffer divided by the bytes per second.",
        call="fill_time(3, 4_000_000)",
        got=got,
        want="0.75 (seconds)",
        look="3 x 10**6 bytes / (4 x 10**6 bytes/s) = 0.75 s",
    )


@pytest.mark.contract("test_share_held")
def test_the_share_is_the_files_that_fit(tt):
    got = tt.share_held(50, 100_000, 2000)
    expect(
        near(got, 0.25, within=0.01),
        "The share is the files that fit, divided by all files.",
        call="share_held(50, 100_000, 2000)",
        got=got,
        want=0.25,
        look="50 x 10**6 bytes / 100,000 bytes = 500 files; 500 / 2,000 = 0.25",
    )


@pytest.mark.contract("test_share_held")
def test_a_buffer_holds_no_more_than_the_dataset(tt):
    got = tt.share_held(50, 100_000, 300)
    expect(
        near(got, 1, within=0.01),
        "A buffer holds at most the whole dataset, so the share is at most 1.",
        call="share_held(50, 100_000, 300)",
        got=got,
        want=1,
        look="500 files would fit, and there are 300",
    )


@pytest.mark.contract("test_find_the_place")
def test_reading_again_takes_bytes_over_bandwidth(tt):
    got = tt.find_the_place(20, 50, 2e6, 100e6, 3)["read"]
    expect(
        near(got, 20, within=0.01),
        "Reading again takes the bytes of these files divided by the bytes per second.",
        call='find_the_place(20, 50, 2e6, 100e6, 3)["read"]',
        got=got,
        want="20 (seconds)",
        look="20 x 50 files x 2 x 10**6 bytes / (100 x 10**6 bytes/s) = 20 s",
    )


@pytest.mark.contract("test_find_the_place")
def test_planning_again_takes_time_for_each_row(tt):
    got = tt.find_the_place(20, 50, 2e6, 100e6, 3)["plan"]
    expect(
        near(got, 0.003, within=0.01),
        "Planning again takes microseconds_per_row for each of these rows.",
        call='find_the_place(20, 50, 2e6, 100e6, 3)["plan"]',
        got=got,
        want="0.003 (seconds)",
        look="20 x 50 rows x 3 us = 3,000 us = 0.003 s",
    )


@pytest.mark.contract("test_find_the_place")
def test_the_answer_has_two_numbers(tt):
    got = tt.find_the_place(1, 1, 5e5, 1e6, 4)
    expect(
        isinstance(got, dict) and set(got) == {"read", "plan"},
        'The answer is a dict with the keys `"read"` and `"plan"`.',
        call="find_the_place(1, 1, 5e5, 1e6, 4)",
        got=got,
        want={"read": 0.5, "plan": 4e-06},
        look="what you return: {'read': ..., 'plan': ...}, both in seconds",
    )


@pytest.mark.contract("test_share_held")
def test_the_share_of_datasets_of_any_size(tt):
    for files, want in ((500, 1), (625, 0.8), (30_000, 0.01667), (50_000, 0.01)):
        got = tt.share_held(50, 100_000, files)
        expect(
            near(got, want, within=0.01),
            "The share is the files that fit, divided by all files.",
            call=f"share_held(50, 100_000, {files})",
            got=got,
            want=want,
            look=f"500 files fit into 50 MB; 500 / {files}, and 1 is the most",
        )


@pytest.mark.contract("test_share_held")
def test_files_that_fit_are_not_rounded(tt):
    got = tt.share_held(10, 4e6, 5)
    expect(
        near(got, 0.5, within=0.01),
        "The share is the files that fit, divided by all files.",
        call="share_held(10, 4e6, 5)",
        got=got,
        want=0.5,
        look="2.5 files fit; 2.5 / 5 = 0.5",
    )


@pytest.mark.contract("test_find_the_place")
def test_a_file_may_have_any_size(tt):
    got = tt.find_the_place(2000, 128, 125e3, 200e6, 2)["read"]
    expect(
        near(got, 160, within=0.01),
        "Reading again takes the bytes of these files divided by the bytes per second.",
        call='find_the_place(2000, 128, 125e3, 200e6, 2)["read"]',
        got=got,
        want="160 (seconds)",
        look="2,000 x 128 files x 125,000 bytes / (200 x 10**6 bytes/s) = 160 s",
    )
