"""What the table shows of a `profile_loader` report, with numbers that can be checked by hand."""


def rate(value, spread=0.04):
    return {"samples_per_second": value, "spread": spread, "seconds_per_batch": 128 / value}


def report(**changes):
    timeline = {"wall_seconds": 0.091, "idle_share": 0.46, "stretch": 1.0}
    ways = ("Load, then train", "Prefetch, step elsewhere", "Prefetch, step on the same cores")
    speeds = {"synthetic": 12181.0, "cached": 7624.0, "warm": 5100.0}
    between = {"median": 0.002, "p95": 0.0025, "max": 0.4}
    return {
        "name": "yours",
        "batch_size": 128,
        "batches": 25,
        "repeats": 5,
        "rates": {**{name: rate(value) for name, value in speeds.items()}, "cold": None},
        "reasons": {"cold": "the loader reads no file"},
        "stalls": {"compute": 0.25, "prep": 0.15, "fetch": 0.6},
        "step": {"kind": "given", "seconds": 0.002},
        "break_even": {"seconds": 0.0021, "sentence": "loading a batch takes 2.1 ms"},
        "loading": {**rate(61000.0), "seconds_per_batch": 0.0061, "between_batches": between},
        "timelines": [{**timeline, "name": name} for name in ways],
        "stages": {"shares": {"fetch": 0.2, "transform": 0.05, "collate": 0.7, "other": 0.05}},
        "sweep": [{"batch_size": size, **rate(1000.0 * size)} for size in (1, 32, 128)],
        "workers": None,
        "limit": {
            "memcpy_bytes_per_second": 13.2e9,
            "gather_bytes_per_second": 9.5e9,
            "bytes_per_sample": 3072,
            "share_of_limit": 0.02,
        },
        "memory": {
            "peak_bytes": 1_300_000,
            "batch_bytes": 393_216,
            "dataset_bytes": 25_000_000,
            "copied_bytes_per_batch": 800_000,
        },
        "facts": {"loading_share": 0.75},
        "verdict": {
            "kind": "collate",
            "sentence": "collation takes most of the time",
            "fix": "write __getitems__",
            "buys": 2.5,
            "tried": "",
            "where": "",
            "noisy": False,
        },
        **changes,
    }
