"""What do other profilers say about a slow loader, and how long does it take? Five loaders that
are slow for a known reason are trained with `tinytorch.profiler`, torch.profiler, py-spy, and
TensorFlow's profiler with the input pipeline analyzer of xprof.

    python benchmarks/side_by_side.py                       all that is installed (five minutes)
    python benchmarks/side_by_side.py --only plain py-spy   loaders and tools with these words
    python benchmarks/side_by_side.py --write table.md      also write a table in Markdown

Each pair of a loader and a tool has a process of its own, which trains as many epochs as take 7
seconds without a tool; `profile_loader` gets the 7 seconds instead. Each tool is used as its
documentation shows. For each are printed:

    seconds  of the whole process, with imports and the analysis
    says     at most two lines: the top rows of its table, the hottest path, or the verdict
    place    whether these lines name the slow function or its stage (the words are in `CASES`)
    fix      whether it advises a fix, and whether it says how much the fix gains

The analyzer of xprof reads tf.data alone. Tools that are not installed are named and left out; see
benchmarks/peers.txt.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import glob
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SAMPLES, BATCH, SHAPE = 512, 32, (3, 128, 128)
NO_ADVICE = ("slow loader", "step-bound", "nothing wrong")  # verdicts that advise no fix
LINE = 200  # characters that are kept of a line
# The step uses one core, so that it does not compete with worker processes.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1"}
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


@dataclasses.dataclass(frozen=True)
class Case:
    """A loader, the step of its library, and the words that name what is slow."""

    name: str
    place: tuple[str, ...]
    make: Callable[..., Iterable]
    step: Callable[[Any], Any]

    @property
    def library(self) -> str:
        return self.name.split(":")[0]


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a tool says. `gain` is how many times faster its fix makes the training."""

    says: list[str]
    fix: str = ""
    gain: float | None = None


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str
    module: str
    libraries: tuple[str, ...]
    ask: Callable[[Case, int, float], Answer]


# What slows a loader down. `spin` of the zoo reads the clock thousands of times a millisecond, and
# a tool that traces calls would pay for each. Here decoding an image is one call of a C function.


@functools.cache
def encoded() -> list[bytes]:
    images = np.random.default_rng(0).integers(0, 16, (SAMPLES, *SHAPE), dtype=np.uint8)
    return [zlib.compress(image.tobytes(), 1) for image in images]


def decode(blob: bytes) -> np.ndarray:
    return np.frombuffer(zlib.decompress(blob), np.uint8).reshape(SHAPE)


def value_by_value(samples: list[np.ndarray]) -> np.ndarray:
    return np.array([sample.tolist() for sample in samples], np.uint8)


class Encoded:
    def __init__(self) -> None:
        self.blobs = encoded()

    def __len__(self) -> int:
        return len(self.blobs)

    def __getitem__(self, index: int) -> np.ndarray:
        return decode(self.blobs[index])


class Decoded:
    def __init__(self, samples: int) -> None:
        self.images = np.zeros((samples, 3, 64, 64), np.uint8)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> np.ndarray:
        return self.images[index]


class Generator:
    """A generator that somebody wrote; it can be iterated over again and again."""

    def __len__(self) -> int:
        return SAMPLES // BATCH

    def __iter__(self) -> Iterator[np.ndarray]:
        blobs = encoded()
        for start in range(0, SAMPLES, BATCH):
            yield np.stack([decode(blob) for blob in blobs[start : start + BATCH]])


def torch_loader(dataset: Any, **settings: Any) -> Iterable:
    from torch.utils.data import DataLoader

    settings = {"batch_size": BATCH, "shuffle": True, "collate_fn": np.stack, **settings}
    return DataLoader(dataset, **settings)


def tf_data() -> Iterable:
    import tensorflow as tf

    blobs = encoded()
    found = tf.data.Dataset.range(SAMPLES)
    return found.map(
        lambda index: tf.numpy_function(lambda i: decode(blobs[i]), [index], tf.uint8)
    ).batch(BATCH)


# Training steps of about a millisecond

WEIGHTS = np.ones((300, 300), np.float32)
PRODUCTS = 2


def numpy_step(_batch: Any) -> None:
    for _ in range(PRODUCTS):
        np.matmul(WEIGHTS, WEIGHTS)


@functools.cache
def torch_weights() -> Any:
    import torch

    return torch.from_numpy(WEIGHTS)


def torch_step(_batch: Any) -> None:
    for _ in range(PRODUCTS):
        torch_weights() @ torch_weights()


@functools.cache
def tf_function() -> Callable[[], Any]:
    import tensorflow as tf

    weights = tf.constant(WEIGHTS)
    return tf.function(lambda: functools.reduce(tf.matmul, [weights] * (PRODUCTS + 1)))


def tf_step(_batch: Any) -> None:
    tf_function()()


CASES = (
    Case(
        "pytorch: samples are decoded, no workers",
        ("__getitem__", "decode", "fetch", "samples that compute"),
        lambda num_workers=0: torch_loader(Encoded(), num_workers=num_workers),
        torch_step,
    ),
    Case(
        "pytorch: a slow collate in 2 workers",
        ("value_by_value", "collate"),
        lambda num_workers=2: torch_loader(
            Decoded(4096), num_workers=num_workers, collate_fn=value_by_value
        ),
        torch_step,
    ),
    Case(
        "pytorch: the start of a spawned worker",
        ("spawn", "start", "first batch"),
        lambda: torch_loader(Decoded(512), num_workers=1, multiprocessing_context="spawn"),
        torch_step,
    ),
    Case(
        "tf.data: a map decodes in numpy_function",
        ("decode", "numpy_function", "pyfunc", "map"),
        tf_data,
        tf_step,
    ),
    Case("plain: a generator decodes", ("decode",), Generator, numpy_step),
)


def train(case: Case, epochs: int = 0, seconds: float = 0.0) -> int:
    """Train so many epochs, or at least so many seconds; return the epochs."""
    start, done = time.perf_counter(), 0
    while done < epochs or time.perf_counter() - start < seconds:
        for batch in case.make():
            case.step(batch)
        done += 1
    return done


def warm_up(case: Case) -> None:
    """Import what the library needs and prepare the data, so that neither is measured."""
    case.step(next(iter(case.make())))


# The tools. Each is asked in a process of its own.


def ask_ours(case: Case, _epochs: int, seconds: float) -> Answer:
    from tinytorch.profiler import profile_loader

    verdict = profile_loader(case.make, case.step, seconds=seconds).verdict
    fix = "" if verdict.kind in NO_ADVICE else verdict.fix
    gain = verdict.buys if verdict.buys > 1 else None
    return Answer(str(verdict).splitlines()[:2], fix, gain)


def ask_torch(case: Case, epochs: int, _seconds: float) -> Answer:
    """The two rows at the top of its table, sorted by CPU time, as in
    https://docs.pytorch.org/tutorials/recipes/recipes/profiler_recipe.html
    """
    rows = torch_rows(case, epochs)
    return Answer([f"{name}: {share:.0%} of CPU time" for name, share in rows[:2]] or ["(no rows)"])


def ask_torch_stacks(case: Case, epochs: int, _seconds: float) -> Answer:
    """With `with_stack=True` the functions of Python are rows too, with the time of what they call.
    Those that hold more than half of the time are a path.
    """
    rows = torch_rows(case, epochs, with_stack=True)
    path = [name for name, share in rows if share > 0.5]
    return Answer([shortened(path), f"hold more than half of CPU time, in {len(rows)} rows"])


def torch_rows(case: Case, epochs: int, **settings: Any) -> list[tuple[str, float]]:
    from torch.profiler import ProfilerActivity, profile

    warm_up(case)
    with profile(activities=[ProfilerActivity.CPU], **settings) as profiler:
        train(case, epochs)
    averages = profiler.key_averages()
    whole = averages.self_cpu_time_total
    rows = sorted(averages, key=lambda row: row.cpu_time_total, reverse=True)
    return [(row.key, row.cpu_time_total / whole) for row in rows]


def ask_py_spy(case: Case, epochs: int, seconds: float) -> Answer:
    """The way to the widest tower of the flame graph of the program with its processes, as in
    https://github.com/benfred/py-spy
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "stacks.raw"
        command = [py_spy(), "record", "--subprocesses", "--function", "--format", "raw"]
        program = own_command("nothing", case, epochs, seconds, Path(folder))
        run([*command, "--output", str(output), "--", *program])
        path, share = hottest_path(output.read_text(encoding="utf-8").splitlines())
    return Answer([shortened(path), f"holds {share:.0%} of the stacks that were recorded"])


def py_spy() -> str:
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.exists() else shutil.which("py-spy") or "py-spy"


# The frame of a process in a stack of py-spy: process 9:"python train.py";
PROCESS = r'process \d+:"[^"]*";?'


def hottest_path(lines: Iterable[str]) -> tuple[list[str], float]:
    """The path from the root of a flame graph to the function at which it divides, and the share of
    the samples there. Each function has at least half of the samples of its caller. The stacks of
    all processes are counted together, and those of `warm_up` are not counted.
    """
    stacks: dict[tuple[str, ...], int] = collections.Counter()
    for line in lines:
        frames, _, count = re.sub(PROCESS, "", line).rpartition(" ")
        if frames and "warm_up (" not in frames:
            stacks[tuple(frames.split(";"))] += int(count)
    path: tuple[str, ...] = ()
    whole = below = sum(stacks.values())
    while True:
        children: dict[str, int] = collections.Counter()
        for stack, count in stacks.items():
            if len(stack) > len(path) and stack[: len(path)] == path:
                children[stack[len(path)]] += count
        widest = max(children, key=children.__getitem__, default="")
        if not children or children[widest] < below / 2:
            return list(path), below / max(1, whole)
        path, below = (*path, widest), children[widest]


def ask_tf(case: Case, epochs: int, _seconds: float) -> Answer:
    """The conclusion of the input pipeline analyzer, and the operation at the top of its table, as
    in https://www.tensorflow.org/guide/profiler
    """
    import tensorflow as tf
    from xprof.convert import raw_to_tool_data

    warm_up(case)
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        for _ in range(epochs):
            batches = iter(case.make())
            for number in range(SAMPLES // BATCH):
                with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                    case.step(next(batches))
        tf.profiler.experimental.stop()
        found = glob.glob(f"{folder}/plugins/profile/*/*.xplane.pb")
        data, _ = raw_to_tool_data.xspace_to_tool_data(found, "input_pipeline_analyzer", {})
    return read_analysis(json.loads(data))


def read_analysis(tables: list[dict[str, Any]]) -> Answer:
    """The conclusion, the top operation and the advice in the tables of the analyzer."""
    properties = {key: value for table in tables for key, value in table.get("p", {}).items()}
    rows = {
        table["cols"][0]["id"]: [[cell["v"] for cell in row["c"]] for row in table["rows"]]
        for table in tables
        if table["cols"]
    }
    operations = sorted(rows["opName"], key=lambda row: row[5], reverse=True)
    top = f"{operations[0][0]}: {operations[0][5]:.0%} of the input time" if operations else ""
    category = operations[0][6] if operations else "nothing"
    advice = [row[0] for row in rows["link"] if category.lower() in row[0].lower()]
    fix = re.sub("<[^>]*>", "", advice[0]) if advice else ""
    return Answer([properties["input_conclusion"], top], fix)


def ask_nothing(case: Case, epochs: int, seconds: float) -> Answer:
    warm_up(case)
    return Answer([str(train(case, epochs, 0.0 if epochs else seconds))])


EVERY = ("pytorch", "tf.data", "plain")
TOOLS = (
    Tool("tinytorch.profiler", "numpy", EVERY, ask_ours),
    Tool("torch.profiler", "torch", EVERY, ask_torch),
    Tool("torch.profiler with_stack", "torch", EVERY, ask_torch_stacks),
    Tool("py-spy record", "py_spy", EVERY, ask_py_spy),
    Tool("tf.profiler and xprof", "xprof", ("tf.data",), ask_tf),
)
MODULES = {"pytorch": "torch", "tf.data": "tensorflow", "plain": "numpy"}


def shortened(path: list[str]) -> str:
    """The names of the functions of a path, without those above `train` and those that import
    modules. The middle is left out where they are too many for a line.
    """
    names = [function_name(frame) for frame in path if "importlib" not in frame]
    if "train" in names:
        names = names[names.index("train") + 1 :]
    text = " > ".join(names)
    if len(text) <= LINE:
        return text
    return f"{text[: LINE // 2]} ... {text[-LINE // 2 :]}"


def function_name(frame: str) -> str:
    """The function in "decode (file.py:9)", as py-spy writes it, or in "file.py(9): decode", as
    torch.profiler does.
    """
    name = re.sub(r" \([^()]*:\d+\)$|^\S+\(\d+\): ", "", frame)
    return re.sub(r" of \S+ object at 0x\w+", "", name)


# Running


def run(command: list[str]) -> None:
    """Run a command; its last line of errors is in the exception when it fails."""
    done = subprocess.run(
        command,
        env={**QUIET, **os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        lines = ["", *(line for line in done.stderr.splitlines() if line.strip())]
        raise RuntimeError(f"exit code {done.returncode}, {lines[-1]}")


def own_command(tool: str, case: Case, epochs: int, seconds: float, folder: Path) -> list[str]:
    """The command that asks a tool. The question is in a file, because py-spy shows the command."""
    asked = json.dumps([tool, case.name, epochs, seconds])
    (folder / "question.json").write_text(asked, encoding="utf-8")
    return [sys.executable, "-W", "ignore", str(Path(__file__).resolve()), "--ask", str(folder)]


def answer_in_this_process(folder: Path) -> int:
    asked = json.loads((folder / "question.json").read_text(encoding="utf-8"))
    tool_name, case_name, epochs, seconds = asked
    (case,) = (case for case in CASES if case.name == case_name)
    asks = {tool.name: tool.ask for tool in TOOLS}
    answer = asks.get(tool_name, ask_nothing)(case, epochs, seconds)
    text = json.dumps(dataclasses.asdict(answer))
    (folder / "answer.json").write_text(text, encoding="utf-8")
    return 0


def measure(tool: str, case: Case, epochs: int, seconds: float) -> tuple[float, Answer]:
    """The seconds of a new process that asks the tool, and the answer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = own_command(tool, case, epochs, seconds, folder)
        start = time.perf_counter()
        run(command)
        took = time.perf_counter() - start
        return took, Answer(**json.loads((folder / "answer.json").read_text(encoding="utf-8")))


def missing(module: str) -> bool:
    if module == "py_spy":
        return shutil.which(py_spy()) is None
    return importlib.util.find_spec(module) is None


def judged(case: Case, answer: Answer) -> tuple[str, str]:
    """Whether the lines name the place, and what kind of fix is advised."""
    text = " ".join(answer.says).lower()
    place = "yes" if any(word in text for word in case.place) else "no"
    if not answer.fix:
        return place, "none"
    return place, "without a gain" if answer.gain is None else f"{answer.gain:.2f}x"


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def rows_of(case: Case, tools: list[Tool], seconds: float) -> Iterator[list[str]]:
    """The cells of the table for one loader."""
    epochs = int(measure("nothing", case, 0, seconds)[1].says[0])
    took, _ = measure("nothing", case, epochs, seconds)
    yield [case.name, "no tool", f"{took:.1f}", f"{epochs} epochs", "", ""]
    for tool in tools:
        try:
            took, answer = measure(tool.name, case, epochs, seconds)
        except RuntimeError as error:
            yield [case.name, tool.name, "-", f"failed: {error}"[:LINE], "-", "-"]
            continue
        says = "\n".join(line[:LINE] for line in answer.says)
        yield [case.name, tool.name, f"{took:.1f}", says, *judged(case, answer)]


def as_markdown(rows: list[list[str]], about: str) -> str:
    head = ["loader", "tool", "seconds", "says", "place", "fix"]
    lines = [about, "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        cells = (cell.replace("|", "\\|").replace("\n", "<br>") for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--seconds", type=float, default=7.0, help="of training (default: 7)")
    parser.add_argument("--write", metavar="FILE", type=Path, help="the table in Markdown")
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ask:
        return answer_in_this_process(args.ask)
    about = (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()},"
        f" {args.seconds:g} s of training, load {load()}"
    )
    print(about)
    rows: list[list[str]] = []
    for module in sorted({tool.module for tool in TOOLS} | set(MODULES.values())):
        if missing(module):
            print(f"{module} is not installed")
    for case in CASES:
        tools = [
            tool
            for tool in TOOLS
            if case.library in tool.libraries
            and not missing(tool.module)
            and all(word in f"{case.name} {tool.name}" for word in args.only)
        ]
        if missing(MODULES[case.library]) or not tools:
            continue
        print(case.name)
        for row in rows_of(case, tools, args.seconds):
            _, tool_name, took, says, place, fix = row
            rows.append(row)
            print(f"  {tool_name:<26} {took:>5} s   place: {place or '-':<4} fix: {fix or '-'}")
            print("\n".join(f"      {line}" for line in says.splitlines()), flush=True)
    if args.write:
        args.write.write_text(as_markdown(rows, about), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
