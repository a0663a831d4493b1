"""Triton kernels on a simulated GPU, whose sanitizer finds what is wrong with them. No GPU is needed.

    import numpy, tilewright
    tilewright.simulate(add, (4,), x, y, out, 1000, BLOCK=256)

Triton compiles the kernel to PTX, and the ``tilewright`` command, which needs Java, runs that.
"""

import contextlib
import copy
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from . import _triton
from ._arrays import Storages, is_array

CHIPS = {"a100": 80, "rtx3090": 86, "rtx4090": 89, "h100": 90, "h200": 90, "b200": 100, "b300": 103, "rtx5090": 120}
FOUND = 1  # the command's exit code for a launch with findings
NOISE = re.compile(r"(\d+/\d+ .*launch\.json|WARNING: Using incubator modules.*)\n")
STOPS = {"OUT_OF_BOUNDS", "MISALIGNED", "NO_PEER_ACCESS", "DEADLOCK", "BARRIER_DIVERGENCE", "TRAP", "ASSERTION",
         "INVALID_OPERATION", "INSTRUCTION_LIMIT", "TIME_LIMIT", "MEMORY_LIMIT"}  # kinds that end the launch
GENERATED = re.compile(r"shared '|tensor memory")  # what a Triton kernel has no words for


@dataclasses.dataclass(frozen=True)
class Finding:
    """A mistake of a kernel: what it is, and the line of Python that made it."""

    kind: str
    source: str
    message: str
    fix: str
    block: tuple
    thread: tuple
    count: int

    def __str__(self):
        place = f" at {self.source}" if self.source else ""
        often = f", {self.count} times" if self.count > 1 else ""
        return f"{self.kind}{place}{often}: {self.message}; likely fix: {self.fix}"


@dataclasses.dataclass(frozen=True)
class Simulation:
    """A launch that was simulated.

    :ivar findings: the kernel's mistakes
    :ivar generated: findings about shared memory, barriers and fences, which Triton puts in: it relies on more than the
        PTX ISA promises, as GPUs give it
    :ivar instructions: executed by threads
    :ivar ptx: the kernel as Triton compiled it
    """

    findings: tuple
    generated: tuple
    instructions: int
    ptx: str = dataclasses.field(repr=False)


class FindingsError(RuntimeError):
    """A kernel with findings; ``simulation`` has them."""

    def __init__(self, simulation):
        super().__init__("\n".join(map(str, simulation.findings)))
        self.simulation = simulation


def simulate(kernel, grid, *args, chip="h100", sanitize=True, check=True, seed=0, **kwargs):
    """Runs ``kernel[grid](*args, **kwargs)`` on a simulated GPU and returns a :class:`Simulation`.

    Arrays are NumPy arrays or tensors of the CPU, which hold the results afterwards. An autotuned kernel takes its
    first configuration. With findings it raises :class:`FindingsError`, or returns them where ``check`` is false.

    :param chip: the GPU to stand for, such as ``a100``, ``h100``, ``b200`` or ``rtx4090``
    :param sanitize: whether to look for races, uninitialised reads and misuse of asynchronous copies too
    :param seed: of the schedule of warps
    """
    if chip not in CHIPS:
        raise ValueError(f"chip is {chip!r}; there are {', '.join(CHIPS)}")
    if not hasattr(kernel, "run"):
        raise TypeError(f"kernel is {kernel!r}; needed is a function that @triton.jit decorates")
    storages = Storages()
    launch = _triton.catch(kernel, grid, CHIPS[chip], [_seen(storages, a) for a in args],
                           {name: _seen(storages, a) for name, a in kwargs.items()})
    simulation = _run(launch, storages.all(), CHIPS[chip], sanitize, seed)
    if check and simulation.findings:
        raise FindingsError(simulation)
    return simulation


def _seen(storages, value):
    if is_array(value):
        return storages.array(value)
    if isinstance(value, (tuple, list)):
        items = [_seen(storages, v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if dataclasses.is_dataclass(value) and is_array(getattr(value, "base", None)):
        seen = copy.copy(value)
        object.__setattr__(seen, "base", storages.array(value.base))
        return seen
    return value


def _command():
    """The ``tilewright`` command: what TILEWRIGHT names, that of the source tree, or that on the PATH."""
    tree = pathlib.Path(__file__).resolve().parents[2] / "tilewright"
    found = os.environ.get("TILEWRIGHT") or (str(tree) if tree.is_file() else shutil.which("tilewright"))
    if found is None:
        raise RuntimeError("the tilewright command is not on the PATH; let TILEWRIGHT name it")
    return found


def _run(launch, storages, architecture, sanitize, seed):
    with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
        folder = pathlib.Path(name)
        _write(folder / "launch", launch, storages, architecture)
        command = [_command(), "sim", str(folder / "launch"), "--out", str(folder / "out"), "--json",
                   "--seed", str(seed), "--sanitize" if sanitize else "--no-sanitize"]
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        except OSError as error:
            raise RuntimeError(f"{command[0]} does not run: {error}") from error
        row = _row(ended)
        sys.stderr.write(NOISE.sub("", ended.stderr))
        for storage in storages:
            with contextlib.suppress(FileNotFoundError):
                storage.write((folder / "out" / "launch" / f"{storage.name}.bin").read_bytes())
    findings = list(map(_finding, row["findings"]))
    generated = [f for f in findings if f.kind not in STOPS and GENERATED.search(f.message)]
    return Simulation(tuple(f for f in findings if f not in generated), tuple(generated), row.get("instructions") or 0,
                      launch.ptx())


def _row(ended):
    try:
        row = json.loads(ended.stdout.splitlines()[0])
    except (IndexError, ValueError):
        row = {"error": ended.stderr.strip() or f"the command ended with {ended.returncode}"}
    if row.get("error") or ended.returncode not in (0, FOUND):
        raise RuntimeError(f"the kernel cannot be simulated: {row.get('error') or ended.stderr.strip()}")
    return row


def _write(folder, launch, storages, architecture):
    """Writes the launch's files."""
    folder.mkdir()
    metadata, ptx = launch.kernel.metadata, launch.ptx()
    (folder / "kernel.ptx").write_text(ptx)
    buffers = {}
    for storage in storages:
        (folder / f"{storage.name}.bin").write_bytes(storage.read())
        buffers[storage.name] = {"file": f"{storage.name}.bin"}
    ctas = getattr(metadata, "num_ctas", 1)
    x, y, z = launch.grid
    arguments = launch.arguments()
    arguments += _scratch(metadata, x * y * z * ctas, _parameters(ptx, metadata.name) - len(arguments), buffers)
    text = {"ptx": "kernel.ptx", "entry": metadata.name, "grid": [x * ctas, y, z], "cluster": [ctas, 1, 1],
            "block": [32 * metadata.num_warps, 1, 1], "dynamicSharedBytes": metadata.shared, "buffers": buffers,
            "args": arguments, "architecture": architecture}
    if getattr(metadata, "launch_cooperative_grid", False):
        text["features"] = ["cooperative"]
    (folder / "launch.json").write_text(json.dumps(text))


def _parameters(ptx, entry):
    return re.search(rf"\.entry\s+{re.escape(entry)}\s*\((.*?)\)", ptx, re.S).group(1).count(".param")


def _scratch(metadata, ctas, count, buffers):
    """Behind a kernel's own arguments are the addresses of memory for its CTAs and, in newer versions, of a profile."""
    size = ctas * (getattr(metadata, "global_scratch_size", 0) or 0)
    if count < 1 or size == 0:
        return [{"u64": 0}] * count
    buffers["scratch"] = {"bytes": size}
    return [{"buffer": "scratch"}] + [{"u64": 0}] * (count - 1)


def _finding(row):
    place = {name: tuple(row[name].get(axis, 0) for axis in "xyz") for name in ("block", "thread")}
    return Finding(row["kind"], row["source"], row["message"], row["fix"], place["block"], place["thread"],
                   row["count"])
