"""Measures an exported loader in this process; `tito profile` starts it with one JSON argument. Never imported."""

import importlib
import json
import os
import sys


def main():
    job = json.loads(sys.argv[1])
    sys.path[0] = os.getcwd()   # it was this file's directory
    package = importlib.import_module(job["import_name"])
    missing = [name for name in ("DataLoader", "TensorDataset") if not hasattr(package, name)]
    if missing:
        raise SystemExit(f"profile needs DataLoader and TensorDataset; {job['import_name']} has no {' and no '.join(missing)}")
    from tinytorch.core.tensor import Tensor
    from tinytorch.datasets.synthetic import synthetic_images
    from tinytorch.profiler import peak_memory, stage_shares, throughput

    images, labels = synthetic_images(job["samples"])
    dataset = package.TensorDataset(Tensor(images), Tensor(labels))

    def loader(batch_size):
        return package.DataLoader(dataset, batch_size=batch_size, shuffle=True, seed=0)

    fast = throughput(loader(job["batch_size"]))
    stages = stage_shares(loader(job["batch_size"]))
    found = {"batch_size": job["batch_size"], "samples": fast.samples, "samples_per_second": fast.samples_per_second, "spread": fast.spread,
             "repeats": len(fast.seconds), "peak_bytes": peak_memory(loader(job["batch_size"])),
             "batch_bytes": min(job["batch_size"], job["samples"]) * images[0].nbytes, "shares": stages.shares, "plots": []}
    if job["png"]:
        from tinytorch.profiler.plots import plot_stages, plot_throughput

        os.makedirs(job["png"], exist_ok=True)
        sizes = [size for size in (1, 4, 16, 64, 256, 1024) if size <= job["samples"]]
        drawn = {"throughput": plot_throughput([throughput(loader(size)) for size in sizes]), "stages": plot_stages([stages])}
        for name, ax in drawn.items():
            found["plots"].append(os.path.join(job["png"], f"{name}.png"))
            ax.figure.savefig(found["plots"][-1])
    with open(job["result"] + ".tmp", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(job["result"] + ".tmp", job["result"])


if __name__ == "__main__":
    main()
