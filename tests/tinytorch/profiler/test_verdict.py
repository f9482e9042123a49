"""`diagnose` is a pure function, gives one diagnosis for every set of facts, and is right for the
recorded measurements of the catalog.
"""

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathologies import CATALOGUE

from tinytorch.profiler import Facts, diagnose
from tinytorch.profiler.diagnosis.verdict import amdahl

# Made by: python benchmarks/profiler.py catalogue --record
# tests/tinytorch/profiler/recorded_facts.json
FILE = Path(__file__).with_name("recorded_facts.json")
RECORDED = {
    kind: Facts(**facts) for kind, facts in json.loads(FILE.read_text(encoding="utf-8")).items()
}

share = st.floats(0, 1)
ratio = st.floats(0.01, 1e6)
FACTS = st.builds(
    Facts,
    batch_size=st.integers(1, 4096),
    loading_share=share,
    disk_share=share,
    stages=st.none()
    | st.fixed_dictionaries(
        dict.fromkeys(("fetch", "transform", "collate", "other"), st.floats(0, 0.25))
    ),
    copy_multiple=ratio,
    share_of_limit=ratio,
    start_share=share,
    held_share=st.none() | ratio,
    waiting_share=share,
    reread_speedup=ratio,
    reads_per_batch=st.none() | ratio,
    calls_per_sample=ratio,
    values_per_sample=st.integers(0, 10_000),
    batch_dtype=st.sampled_from([None, "uint8", "float32", "float64"]),
    copies=ratio,
    memory_map=st.booleans(),
    shuffled=st.booleans(),
    best_batch_speedup=ratio,
    workers=st.integers(0, 8),
    best_workers=st.none() | st.integers(0, 8),
    workers_gain=ratio,
    prefetch_gain=st.none() | ratio,
    idle_fell=share,
    stretch=ratio,
    noisy=st.booleans(),
)


@settings(max_examples=300)
@given(FACTS)
def test_every_set_of_facts_has_one_verdict_that_promises_no_slowdown(facts):
    verdict = diagnose(facts)
    # a cold disk is not there on every machine; its verdict is tested with injected times
    assert verdict.kind in {*RECORDED, "slow loader", "slow disk"}
    assert verdict.sentence and verdict.fix and verdict.noisy == facts.noisy
    assert verdict.buys >= 1
    # a loader under five percent of the time is never the bottleneck
    assert diagnose(dataclasses.replace(facts, loading_share=0.049)).kind == "step-bound"
    assert diagnose(dataclasses.replace(facts, loading_share=0.051)).kind != "step-bound"


@pytest.mark.parametrize("kind", [case.kind for case in CATALOGUE])
def test_the_catalogue_as_measured_is_diagnosed(kind):
    assert diagnose(RECORDED[kind]).kind == kind


@pytest.mark.parametrize("kind", ["slow disk", "shuffled memory map"])
def test_what_fits_into_memory_gets_another_fix_than_what_does_not(kind):
    cold = Facts(batch_size=64, loading_share=0.6, disk_share=0.5)
    small = dataclasses.replace(RECORDED.get(kind, cold), dataset_bytes=10**9, memory_bytes=10**10)
    large = dataclasses.replace(small, dataset_bytes=10**10)
    assert "memory" in diagnose(small).fix and "order" in diagnose(large).fix


def test_less_waiting_without_less_time_is_contention_and_with_less_time_it_is_not():
    facts = Facts(
        batch_size=64, loading_share=0.4, workers=1, prefetch_gain=1.0, idle_fell=0.4, stretch=1.8
    )
    verdict = diagnose(facts)
    assert (
        verdict.kind == "contention"
        and "1.8 times as long" in verdict.sentence
        and "fell by 40%" in verdict.sentence
    )
    assert diagnose(dataclasses.replace(facts, prefetch_gain=1.5)).kind != "contention"
    assert diagnose(dataclasses.replace(facts, stretch=1.0)).kind != "contention"
    # its fix would make the whole 4% slower, so the speed-up is 1
    assert diagnose(dataclasses.replace(facts, prefetch_gain=1.04)).buys == 1.0


def test_the_last_resort_names_the_largest_stage_or_says_that_none_can_be_seen():
    facts = Facts(batch_size=64, loading_share=0.5, share_of_limit=0.1)
    assert "cannot be seen" in diagnose(facts).sentence
    staged = dataclasses.replace(
        facts, stages={"fetch": 0.2, "transform": 0.1, "collate": 0.1, "other": 0.6}
    )
    assert diagnose(staged).fix == "look at other first"


@settings(max_examples=100)
@given(st.floats(0, 0.999), st.floats(1, 1e6))
def test_a_fix_buys_at_most_what_removing_its_share_would(part, speedup):
    assert 1 <= amdahl(part, speedup) <= amdahl(part) * (1 + 1e-12) <= 1 / (1 - part) * (1 + 1e-9)


def test_amdahl_by_hand():
    assert (amdahl(0.5), amdahl(0.5, 2.0), amdahl(0.0), amdahl(0.6)) == (
        2.0,
        pytest.approx(4 / 3),
        1.0,
        2.5,
    )
    assert amdahl(0.5, 0.1) == 1.0  # a speed-up below 1 counts as 1
    for bad in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"from 0 to 1, got {bad}"):
            amdahl(bad)


def test_a_verdict_reads_as_three_lines_and_says_when_it_is_in_doubt():
    facts = dataclasses.replace(RECORDED["slow transform"], noisy=True, where="f (a.py, line 3)")
    first, where, second = str(diagnose(facts)).splitlines()
    assert where == "most time is spent in f (a.py, line 3)"
    assert str(diagnose(dataclasses.replace(facts, where=""))).count("\n") == 1
    assert (
        first.startswith("slow transform: ")
        and "measure again" in first
        and second.startswith("try next: ")
        and second.endswith("x)")
    )


def test_a_slow_start_whose_memory_is_unknown_promises_nothing():
    known = dataclasses.replace(RECORDED["slow start"], held_share=0.1)
    unknown = dataclasses.replace(known, held_share=None)
    assert diagnose(known).kind == diagnose(unknown).kind == "slow start"
    assert diagnose(known).buys > 2 and diagnose(unknown).buys == 1
    assert "not before" in diagnose(unknown).fix and "not before" not in diagnose(known).fix
