"""`diagnose` is a pure function, gives one diagnosis for every set of facts, and is right for the
recorded measurements of the catalog.
"""

import dataclasses
import json
import re
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


SLOW = Facts(batch_size=32, loading_share=0.6, share_of_limit=0.01, calls_per_sample=900.0)
LOCKED = {"locked": True, "cores": 0.1, "hot_share": 0.9}
PADDING = {"padding": 0.6, "padding_sorted": 0.05}
HINDERED = {"workers": 1, "prefetch_gain": 1.0, "idle_fell": 0.4, "stretch": 1.8}
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
    ("nothing wrong", {"calls_per_sample": 3.0}, {"calls_per_sample": 4.0}, "nothing here"),
    ("contention", HINDERED, {"prefetch_gain": 1.5}, "1.8 times as long"),
    ("contention", HINDERED, {"stretch": 1.0}, "fell by 40%"),
    # on a busy machine, waiting for a core is not charged to the loader, and neither is the waiting
    # of the threads in which a library stacks
    ("slow collate", {"own_collate": False}, {"noisy": True}, ""),
    ("slow collate", {"noisy": True}, {"noisy": True, "own_collate": False}, ""),
    ("costly workers", {}, {"noisy": True}, ""),
    ("cache too small", {"reread_speedup": 50.0}, {"noisy": True}, ""),
]


@pytest.mark.parametrize("kind, there, but, said", CAUSES)
def test_one_fact_tells_a_cause(kind, there, but, said):
    base = SLOW if said else kind  # a row without a text begins with the recorded facts of its kind
    assert told(base, **there).kind == kind and said in str(told(base, **there))
    assert told(base, **there | but).kind != kind


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


def test_amdahl_by_hand():
    assert (amdahl(0.5), amdahl(0.0), amdahl(0.6)) == (2.0, 1.0, 2.5)
    assert amdahl(0.5, 2.0) == pytest.approx(4 / 3)
    assert amdahl(0.5, 0.1) == 1.0  # a speed-up below 1 counts as 1
    for bad in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"from 0 to 1, got {bad}"):
            amdahl(bad)


COLD = Facts(batch_size=64, loading_share=0.6, disk_share=0.5)
UNSEEN = Facts(batch_size=64, loading_share=0.5, share_of_limit=0.1)
STAGES_SEEN = {"fetch": 0.2, "transform": 0.1, "collate": 0.1, "other": 0.6}
FITS, TOO_LARGE = ({"dataset_bytes": size, "memory_bytes": 10**10} for size in (10**9, 10**10))
NO_WORKERS = {"best_workers": 0, "workers_gain": 1.46, "noisy": False}
QUEUE = {"workers": 4, "workers_gain": 1.2, "noisy": False}
EIGHT = {"best_workers": 8, "workers_gain": 6.0}
DRAWN = {"workers_gain": 8.0, "random": True}
BOTH = {"best_workers": 2, "workers_gain": 1.5, "noisy": False}
WAIT, COMPUTE, COSTLY = "samples that wait", "samples that compute", "costly workers"
TRANSFORM, SLOW_CALL, SMALL = "slow transform", "one slow function", {"loading_share": 0.15}
ADVICE = [
    (COLD, FITS, "slow disk", "in memory after the first read; they fit"),
    (COLD, TOO_LARGE, "slow disk", "read in order"),
    ("shuffled memory map", FITS, "shuffled memory map", "fits into memory"),
    ("shuffled memory map", TOO_LARGE, "shuffled memory map", "read in order"),
    (WAIT, FITS, WAIT, "keep the samples in memory"),
    (WAIT, TOO_LARGE, WAIT, "if they fit: they take 10 GB$"),
    # a trial that gained more than the whole share of loading is not reported
    (COSTLY, NO_WORKERS | {"loading_share": 0.4}, COSTLY, "tried: .* is 1.46 times as fast"),
    (COSTLY, NO_WORKERS | {"loading_share": 0.07}, COSTLY, r"num_workers=0 \(.* 1.08x\)$"),
    # if waiting workers are no faster than none, they wait for what only one can hold at a time
    (WAIT, QUEUE | {"best_workers": 0}, "contention", "no faster than num_workers=0"),
    (WAIT, QUEUE | {"best_workers": 8}, WAIT, "tried: num_workers=8"),
    # samples that wait need more workers; samples that compute need another call
    (WAIT, EIGHT, WAIT, r"next: num_workers=8: waiting needs no processor; or keep.* 6.00x\)$"),
    (COMPUTE, EIGHT | {"action": "x"}, COMPUTE, "next: x; tried instead: num_workers=8 .* fast$"),
    # the measured gain is that of storing the samples: only an action that stores promises it
    (COMPUTE, {"action": "x", "stores": True}, COMPUTE, r"next: x \(buys up to"),
    # samples that are drawn anew cannot be stored; there are two workers and this process
    (COMPUTE, DRAWN | {"best_workers": 2}, "too few workers", r"3.00 times as fast \(.*3.00x\)$"),
    (COMPUTE, DRAWN | {"best_workers": 0}, COMPUTE, "store what is not random in them$"),
    # of two fixes that were tried the better one comes first
    (COMPUTE, BOTH | {"cached_gain": 4.0}, COMPUTE, "num_workers=2; tried: stored samples are 4 t"),
    (COMPUTE, BOTH | {"cached_gain": 1.6}, "too few workers", "next: num_workers=2; tried"),
    (SLOW, {"loading_share": 0.01, "batch_size": 2}, "step-bound", "batches of 2.* larger ones"),
    (SLOW, {"loading_share": 0.01, "first_slower": 9.0}, "step-bound", r"s 9 times .* step \(buys"),
    # on a busy machine a small share is no reason to change the loader
    (TRANSFORM, SMALL | {"noisy": True}, "step-bound", "next: measure again .* the loader$"),
    (TRANSFORM, {"loading_share": 0.3, "noisy": True}, TRANSFORM, r"busy: measure again.*\)\n"),
    (TRANSFORM, SMALL | {"noisy": False}, TRANSFORM, r"the transform\n"),
    (TRANSFORM, {"where": "f (a.py, line 3)"}, TRANSFORM, r"\nmost .* in f \(a.py, line 3\)\ntry"),
    (TRANSFORM, {"where": ""}, TRANSFORM, r"the transform\ntry next: [^\n]*x\)$"),
    (SLOW_CALL, {"action": "x", "hot_calls": 4.0}, SLOW_CALL, r"4 calls for a batch.*next: x$"),
    # a slow start promises a gain only if the held share and the epoch are known
    ("slow start", {"held_share": 0.1}, "slow start", r"not a list \(buys up to 4.29x\)$"),
    ("slow start", {"held_share": None}, "slow start", "not a list; .*, not before$"),
    ("slow start", {"held_share": 0.1, "epoch_known": False}, "slow start", "no more ba.* a list$"),
    (UNSEEN, {}, "slow loader", "its stages cannot be seen .* inside it cannot be seen from here$"),
    (UNSEEN, {"stages": STAGES_SEEN}, "slow loader", "next: look at other first$"),
]


@pytest.mark.parametrize("base, facts, kind, said", ADVICE)
def test_other_facts_get_other_advice(base, facts, kind, said):
    """Each row has a pattern in the verdict's text. A gain that is promised stands last there, so a
    pattern that ends in other words and $ also says that none is promised.
    """
    verdict = told(base, **facts)
    assert verdict.kind == kind and re.search(said, str(verdict), re.S), str(verdict)


def test_a_fix_that_makes_the_whole_slower_buys_nothing():
    facts = Facts(batch_size=64, loading_share=0.4, **{**HINDERED, "prefetch_gain": 1.04})
    verdict = diagnose(facts)
    assert (verdict.kind, verdict.buys) == ("contention", 1.0)
