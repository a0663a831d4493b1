"""Records `verify` and `resources --all` on simulated GPUs in chips.json, beside this file.

    python3 docs/recorded/chips.py [--assemble] [CHIP...]

runs in the repository's root, for all GPUs or those named; the others' records stay. Verification takes a minute or
two for each GPU. --assemble assembles every configuration too, which takes minutes on many processors and hours on few;
without it, what was assembled before is dropped, as kernels may have changed.
"""
import datetime
import json
import pathlib
import subprocess
import sys

CHIPS = ["a100", "rtx3090", "rtx4090", "h100", "h200", "b200", "b300", "rtx5090"]
ASSEMBLED = ["configurations", "refused", "lacking", "texts", "spilling", "spillBytes", "warned", "rejected"]
FILE = pathlib.Path(__file__).with_name("chips.json")


def rows(*command):
    """The JSON rows that a command prints; verify and resources exit with 1 where something fails or spills."""
    run = subprocess.run(["./tilewright", *command, "--json"], stdout=subprocess.PIPE, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"tilewright {' '.join(command)} ended with {run.returncode}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def verified(chip):
    kernels = {}
    for row in rows("verify", "--chip", chip):
        counts = kernels.setdefault(row["kernel"], {"passed": 0, "failed": 0, "skipped": 0})
        counts[{"pass": "passed", "fail": "failed", "skipped": "skipped"}[row["status"]]] += 1
    return kernels


def record(chip, assemble):
    kernels = verified(chip)
    if assemble:
        for row in rows("resources", "--all", "--chip", chip):
            counts = kernels.setdefault(row["kernel"], {"passed": 0, "failed": 0, "skipped": 0})
            counts.update((name, row[name]) for name in ASSEMBLED)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    assembler = next(row["detail"] for row in rows("doctor") if row["item"] == "ptxas").split(",")[0]
    return {"chip": chip, "date": datetime.date.today().isoformat(), "commit": commit,
            "assembler": "ptxas of " + assembler, "kernels": [{"kernel": name, **counts}
                                                                 for name, counts in kernels.items()]}


def write(chips):
    lines = []
    for chip in sorted(chips, key=lambda c: CHIPS.index(c["chip"])):
        head = json.dumps({**chip, "kernels": []}, separators=(",", ":")).removesuffix("]}")
        body = ",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in chip["kernels"])
        lines.append(f" {head}\n{body}]}}")
    FILE.write_text('{"chips":[\n' + ",\n".join(lines) + "]}\n")


def main(arguments):
    named = [a for a in arguments if a != "--assemble"] or CHIPS
    unknown = [name for name in named if name not in CHIPS]
    if unknown:
        sys.exit(f"no GPU {unknown[0]}: " + ", ".join(CHIPS))
    for chip in named:
        print(chip, file=sys.stderr)
        new = record(chip, "--assemble" in arguments)
        others = [c for c in json.loads(FILE.read_text())["chips"] if c["chip"] != chip] if FILE.exists() else []
        write([*others, new])


main(sys.argv[1:])
