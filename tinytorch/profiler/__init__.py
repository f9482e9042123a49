"""Measures any loader: samples per second, peak memory, and the share of each stage. `pictures`
draws the results.

    from tinytorch.profiler import profile_loader, throughput, peak_memory, stage_shares
    from tinytorch.profiler.pictures.ladder import plot_ladder
    from tinytorch.profiler.pictures.timeline_plots import plot_timeline

No class of loaders is treated specially: any object that can be iterated over repeatedly is a
loader.
"""

from tinytorch.profiler.diagnosis.advice_rules import diagnose
from tinytorch.profiler.diagnosis.diagnosis_record import Diagnosis
from tinytorch.profiler.diagnosis.facts import Facts
from tinytorch.profiler.diagnosis.loader_report import LoaderReport, profile_loader
from tinytorch.profiler.recording.alternating_runs import Law, Turns, in_turns
from tinytorch.profiler.recording.measure import (
    StageShares,
    Throughput,
    count_samples,
    peak_memory,
    stage_shares,
    throughput,
)
from tinytorch.profiler.recording.recorded_loop import Span, Watched
from tinytorch.profiler.recording.recorder import Contention, Profiler, contention

__all__ = [
    "Contention",
    "Diagnosis",
    "Facts",
    "Law",
    "LoaderReport",
    "Profiler",
    "Span",
    "StageShares",
    "Throughput",
    "Turns",
    "Watched",
    "contention",
    "count_samples",
    "diagnose",
    "in_turns",
    "peak_memory",
    "profile_loader",
    "stage_shares",
    "throughput",
]
