"""A report in the form that `profile_loader` returns, with numbers that can be checked by hand."""


def rate(value, spread=0.04):
    return {"samples_per_second": value, "spread": spread, "seconds_per_batch": 128 / value}


def report(**changes):
    row = {"wall_seconds": 0.091, "idle_share": 0.46, "step_seconds": 0.006}
    row |= {"stretch": 1.0, "spread": 0.03, "batches": 8}
    row["spans"] = [{"lane": "train", "stage": "step", "batch": 0, "start": 0.0, "stop": 0.006}]
    ways = ("Load, then train", "Prefetch, step elsewhere", "Prefetch, step on the same cores")
    shares = {"fetch": 0.2, "transform": 0.05, "collate": 0.7, "other": 0.05}
    return {
        "schema": 1,
        "name": "yours",
        "batch_size": 128,
        "batches": 25,
        "repeats": 5,
        "machine": {"cpus": 2},
        "rates": {
            "synthetic": rate(12181.0),
            "cached": rate(7624.0),
            "warm": rate(5100.0),
            "cold": None,
        },
        "reasons": {"cold": "the loader reads no file"},
        "stalls": {"compute": 0.25, "prep": 0.15, "fetch": 0.6},
        "step": {"kind": "given", "seconds": 0.002},
        "break_even": {"seconds": 0.0021, "sentence": "loading a batch takes 2.1 ms"},
        "loading": {
            "samples_per_second": 61000.0,
            "spread": 0.03,
            "seconds_per_batch": 0.0061,
            "batches": 25,
            "samples": 3200,
            "between_batches": {"median": 0.002, "p95": 0.0025, "max": 0.4},
        },
        "timelines": [{**row, "name": name} for name in ways],
        "stages": {"shares": shares, "seconds": {}, "overhead_share": 0.01},
        "sweep": [
            {"batch_size": size, "samples_per_second": 1000.0 * size, "spread": 0.03}
            for size in (1, 32, 128)
        ],
        "workers": None,
        "limit": {
            "memcpy_bytes_per_second": 13.2e9,
            "gather_bytes_per_second": 9.5e9,
            "bytes_per_sample": 3072,
            "limit_samples_per_second": 3e6,
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
        "overhead_share": 0.01,
        **changes,
    }
