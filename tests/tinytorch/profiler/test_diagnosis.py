"""`diagnose` is a pure function, gives one diagnosis for every set of facts, and is right for the
recorded measurements of the catalog.
"""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathologies import CATALOGUE

from tinytorch.profiler import Facts, diagnose
from tinytorch.profiler.diagnosis.batch_contents import padding, token_lengths
from tinytorch.profiler.diagnosis.diagnosis_record import amdahl

# Made by: python benchmarks/profiler.py catalogue --record
# tests/tinytorch/profiler/recorded_facts.json
FILE = Path(__file__).with_name("recorded_facts.json")
RECORDED = {
    kind: Facts(**facts) for kind, facts in json.loads(FILE.read_text(encoding="utf-8")).items()
}


def told(base, **changes):
    """The verdict of recorded facts (by their name), or of others, with some of them changed."""
    return diagnose(
        dataclasses.replace(RECORDED[base] if isinstance(base, str) else base, **changes)
    )


STAGES = dict.fromkeys(("fetch", "transform", "collate", "other"), st.floats(0, 0.25))


def values_of(fact):
    """What a field of `Facts` may hold, by its type. A share of something is at most 1."""
    kind = str(fact.type)
    if kind.startswith("Mapping"):
        values = st.fixed_dictionaries(STAGES)
    elif fact.name.endswith(("share", "first", "fell")) or fact.name.startswith("padding"):
        values = st.floats(0, 1)
    elif kind.startswith("bool"):
        values = st.booleans()
    elif kind.startswith("int"):
        values = st.integers(1, 4096)
    else:
        values = st.floats(0.01, 1e6) if kind.startswith("float") else st.sampled_from("ab")
    return st.none() | values if kind.endswith("None") else values


FACTS = st.builds(Facts, **{fact.name: values_of(fact) for fact in dataclasses.fields(Facts)})


@settings(max_examples=300)
@given(FACTS)
def test_every_set_of_facts_has_one_verdict_that_promises_no_slowdown(facts):
    verdict = diagnose(facts)
    # a cold disk is not there on every machine; its verdict is tested with injected times
    new = {kind for kind, *_ in CAUSES}
    assert verdict.kind in {*RECORDED, *new, "slow loader", "slow disk"}
    assert verdict.sentence and verdict.fix and verdict.noisy == facts.noisy
    # a fix saves at most the loader's share, and workers are at most as fast as there are of them
    assert 1 <= verdict.buys <= amdahl(facts.loading_share)
    if verdict.kind == "too few workers":
        assert verdict.buys <= 1 + facts.best_workers
    # a loader under five percent of the time is never the bottleneck
    sound = dataclasses.replace(facts, padding=0.0, times_each=1.0, growth=0.0, noisy=False)
    assert diagnose(dataclasses.replace(sound, loading_share=0.049)).kind == "step-bound"
    assert diagnose(dataclasses.replace(sound, loading_share=0.051)).kind != "step-bound"


@pytest.mark.parametrize("kind", [case.kind for case in CATALOGUE])
def test_the_catalogue_as_measured_is_diagnosed(kind):
    assert diagnose(RECORDED[kind]).kind == kind


COLD = Facts(batch_size=64, loading_share=0.6, disk_share=0.5)


@pytest.mark.parametrize(
    "base, far",
    [(COLD, "order"), ("shuffled memory map", "order"), ("samples that wait", "if they")],
)
def test_what_fits_into_memory_gets_another_fix_than_what_does_not(base, far):
    assert "memory" in told(base, dataset_bytes=10**9, memory_bytes=10**10).fix
    assert far in told(base, dataset_bytes=10**10, memory_bytes=10**10).fix


def test_a_trial_that_gave_more_than_all_of_loading_is_worth_is_not_told():
    trial = {"best_workers": 0, "workers_gain": 1.46, "noisy": False}
    assert "1.46 times as fast" in told("costly workers", **trial, loading_share=0.4).tried
    little = told("costly workers", **trial, loading_share=0.07)
    assert (little.kind, little.tried) == ("costly workers", "") and little.buys < 1.08


def test_workers_that_wait_and_are_no_faster_than_none_wait_for_something_that_one_holds():
    trial = {"workers": 4, "workers_gain": 1.2, "noisy": False}
    queue = told("samples that wait", **trial, best_workers=0)
    assert queue.kind == "contention" and "no faster than num_workers=0" in queue.sentence
    assert told("samples that wait", **trial, best_workers=8).kind == "samples that wait"


def test_what_waits_is_told_to_wait_in_more_workers_and_what_computes_what_to_call():
    workers = {"best_workers": 8, "workers_gain": 6.0}
    waits = told("samples that wait", **workers)
    assert (waits.kind, waits.buys) == ("samples that wait", 6.0)
    assert waits.fix.startswith("num_workers=8: waiting needs no processor; or keep")
    known = told("samples that compute", **workers, action="call it once")
    assert (known.kind, known.fix) == ("samples that compute", "call it once")
    assert known.tried == "tried instead: num_workers=8 is 6.00 times as fast"
    # what was measured is storing the samples: other actions promise nothing
    assert known.buys == 1 < told("samples that compute", action="x", stores=True).buys
    # samples that are drawn anew cannot be stored
    drawn = {"workers_gain": 8.0, "random": True}
    more = told("samples that compute", **drawn, best_workers=2)
    assert (more.kind, more.buys) == ("too few workers", 3.0)  # two workers and this process
    fewer = told("samples that compute", **drawn, best_workers=0)
    assert "is not random" in fewer.fix and fewer.buys == 1 and not fewer.tried


def test_of_two_fixes_that_were_tried_the_better_one_comes_first():
    both = {"best_workers": 2, "workers_gain": 1.5, "noisy": False}
    stored = told("samples that compute", **both, cached_gain=4.0)
    assert stored.fix.endswith("num_workers=2")
    assert stored.tried == "tried: stored samples are 4 times as fast"
    assert told("samples that compute", **both, cached_gain=1.6).fix == "num_workers=2"


SLOW = Facts(batch_size=32, loading_share=0.6, share_of_limit=0.01, calls_per_sample=900.0)
LOCKED = {"locked": True, "cores": 0.1, "hot_share": 0.9}
PADDING = {"padding": 0.6, "padding_sorted": 0.05}
CAUSES = [
    ("repeated samples", {"workers": 2, "times_each": 2.0}, {"times_each": 1.0}, "num_workers"),
    ("padding", PADDING, {"padding_sorted": 0.55}, "similar"),
    ("padding", {**PADDING, "loading_share": 0.01}, {"padding": 0.1}, "60% of the tokens"),
    ("contention", LOCKED, {"locked": False}, "of its own"),
    (
        "cache thrown away",
        {"workers": 2, "workers_stay": False, "kept_speedup": 9.0},
        {"workers_stay": True},
        "persistent_workers=True",
    ),
    ("cache too small", {"reread_speedup": 50.0}, {"first_slower": 20.0}, "50 times faster"),
    (
        "slow first epoch",
        {"first_slower": 8.0, "calls_per_sample": 99.0, "reads_per_batch": 32.0}
        | {"stages": {"fetch": 1.0, "transform": 0.0, "collate": 0.0, "other": 0.0}},
        {"first_slower": 2.0},
        "8 times as long",
    ),
    (
        "list of Python objects",
        {"workers": 2, "batch_parts": 4000, "pickled_bytes": 64_000},
        {"workers": 0},
        "4,000 parts",
    ),
]


@pytest.mark.parametrize("kind, there, but, said", CAUSES)
def test_one_fact_tells_a_cause(kind, there, but, said):
    assert told(SLOW, **there).kind == kind and said in str(told(SLOW, **there))
    assert told(SLOW, **there | but).kind != kind


def test_few_samples_in_a_batch_are_named_where_the_step_takes_the_time():
    assert "batches of 2" in told(SLOW, loading_share=0.01, batch_size=2).fix
    later = told(SLOW, loading_share=0.01, first_slower=9.0)
    assert later.kind == "step-bound" and "takes 9 times as long" in later.sentence
    assert "larger" not in later.fix


@given(st.lists(st.integers(1, 20), min_size=1, max_size=40), st.integers(1, 8))
def test_padding_is_what_follows_the_longest_rows_end(lengths, size):
    """The pad value ends most rows, and no row has it inside; sorted rows need no more. A mask says
    the same, also where no row is padded.
    """
    batches = []
    for begin in range(0, len(lengths), size):
        part = lengths[begin : begin + size]
        rows = np.zeros((len(part), max(*part, 30)), np.int64)
        for row, length in zip(rows, part, strict=True):
            row[:length] = 7
        batches.append(rows)
    seen = [token_lengths({"ids": rows}) for rows in batches]
    assert np.concatenate([ends for ends, _ in seen]).tolist() == lengths
    share, in_order = padding(seen)
    assert share == pytest.approx(1 - sum(lengths) / sum(rows.size for rows in batches))
    assert 0 <= in_order <= share + 1e-9
    assert token_lengths(rows.astype(np.uint8)) is None and padding([]) == (0.0, 0.0)
    assert np.array_equal(token_lengths(rows > 0)[0], seen[-1][0])
    assert token_lengths(rows > -1)[0].tolist() == [rows.shape[1]] * len(rows)
    assert token_lengths(np.eye(9, 30, dtype=np.int64)) is None  # labels, one-hot


def test_batches_that_cost_nothing_need_no_fix():
    verdict = told(SLOW, batch_size=2, calls_per_sample=3.0)
    assert (verdict.kind, verdict.buys) == ("nothing wrong", 1)


def test_less_waiting_without_less_time_is_contention_and_with_less_time_it_is_not():
    facts = Facts(
        batch_size=64, loading_share=0.4, workers=1, prefetch_gain=1.0, idle_fell=0.4, stretch=1.8
    )
    verdict = diagnose(facts)
    assert verdict.kind == "contention"
    assert "1.8 times as long" in verdict.sentence and "fell by 40%" in verdict.sentence
    assert told(facts, prefetch_gain=1.5).kind != "contention"
    assert told(facts, stretch=1.0).kind != "contention"
    # its fix would make the whole 4% slower, so the speed-up is 1
    assert told(facts, prefetch_gain=1.04).buys == 1.0


def test_the_last_resort_names_the_largest_stage_or_says_that_none_can_be_seen():
    facts = Facts(batch_size=64, loading_share=0.5, share_of_limit=0.1)
    assert "cannot be seen" in diagnose(facts).sentence
    stages = {"fetch": 0.2, "transform": 0.1, "collate": 0.1, "other": 0.6}
    assert told(facts, stages=stages).fix == "look at other first"


@settings(max_examples=100)
@given(st.floats(0, 0.999), st.floats(1, 1e6))
def test_a_fix_buys_at_most_what_removing_its_share_would(part, speedup):
    assert 1 <= amdahl(part, speedup) <= amdahl(part) * (1 + 1e-12) <= 1 / (1 - part) * (1 + 1e-9)


def test_amdahl_by_hand():
    assert (amdahl(0.5), amdahl(0.0), amdahl(0.6)) == (2.0, 1.0, 2.5)
    assert amdahl(0.5, 2.0) == pytest.approx(4 / 3)
    assert amdahl(0.5, 0.1) == 1.0  # a speed-up below 1 counts as 1
    for bad in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"from 0 to 1, got {bad}"):
            amdahl(bad)


def test_on_a_busy_machine_a_small_share_is_no_reason_to_change_the_loader():
    doubt = told("slow transform", loading_share=0.15, noisy=True)
    assert "measure again" in doubt.fix and doubt.buys == 1
    for sure in ({"loading_share": 0.3, "noisy": True}, {"loading_share": 0.15, "noisy": False}):
        assert told("slow transform", **sure).kind == "slow transform"


@pytest.mark.parametrize(
    "kind, facts, not_if",
    [
        # the threads in which a library stacks got no core
        ("slow collate", {"own_collate": False}, {"noisy": True}),
        ("slow collate", {"noisy": True}, {"noisy": True, "own_collate": False}),
        ("costly workers", {}, {"noisy": True}),
        ("cache too small", {"reread_speedup": 50.0}, {"noisy": True}),
    ],
)
def test_on_a_busy_machine_what_waited_for_a_core_is_no_fault_of_the_loader(kind, facts, not_if):
    assert told(kind, **facts).kind == kind != told(kind, **facts | not_if).kind


def test_a_verdict_reads_as_three_lines_and_says_when_it_is_in_doubt():
    verdict = told("slow transform", noisy=True, where="f (a.py, line 3)")
    first, where, second = str(verdict).splitlines()
    assert where == "most time is spent in f (a.py, line 3)"
    assert str(told("slow transform", where="")).count("\n") == 1
    assert first.startswith("slow transform: ") and "measure again" in first
    assert second.startswith("try next: ") and second.endswith("x)")


def test_a_slow_start_whose_memory_is_unknown_promises_nothing():
    known, unknown = (told("slow start", held_share=held) for held in (0.1, None))
    assert known.kind == unknown.kind == "slow start"
    assert known.buys > 2 and unknown.buys == 1
    assert "not before" in unknown.fix and "not before" not in known.fix
