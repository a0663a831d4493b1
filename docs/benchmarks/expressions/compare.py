#!/usr/bin/env python3
"""Times `layout eval` beside pycute on the same 10,000 expressions, each as one process that reads them line by line.

usage: compare.py PYCUTE_PARENT TILEWRIGHT...
  PYCUTE_PARENT  the folder that holds the package pycute (python/ in a checkout of NVIDIA/cutlass)
  TILEWRIGHT     the command, such as ./tilewright
Prints the medians of five runs in turns as JSON.
"""
import json
import platform
import random
import statistics
import subprocess
import sys
import time

COUNT = 10_000
RUNS = 5

PYCUTE = """
import sys, json
sys.path.insert(0, sys.argv[1])
from pycute import *
def value(text):
    shape, colon, stride = text.partition(':')
    return Layout(eval(shape), eval(stride)) if colon else eval(shape)
operations = dict(coalesce=coalesce, composition=composition, complement=complement, right_inverse=right_inverse,
                  logical_divide=logical_divide, logical_product=logical_product)
for line in sys.stdin:
    name, _, operands = line.strip()[:-1].partition('(')
    try:
        layout = operations[name](*map(value, operands.split('; ')))
        print(json.dumps({"layout": str(layout), "offsets": [layout(i) for i in range(layout.size())]}))
    except AssertionError as e:
        print(json.dumps({"error": str(e)}))
"""


def layout(rng):
    """Compact, its modes in any order of strides."""
    extents = [rng.choice([2, 3, 4, 5, 8]) for _ in range(rng.randint(1, 3))]
    strides = [0] * len(extents)
    product = 1
    for mode in rng.sample(range(len(extents)), len(extents)):
        strides[mode] = product
        product *= extents[mode]
    flat = lambda values: str(values[0]) if len(values) == 1 else "(" + ",".join(map(str, values)) + ")"
    return flat(extents) + ":" + flat(strides), product


def expression(rng):
    name = rng.choice(["coalesce", "composition", "complement", "right_inverse", "logical_divide", "logical_product"])
    a, size = layout(rng)
    if name in ("coalesce", "right_inverse"):
        return name, [a]
    if name == "complement":
        return name, [a, str(size * rng.choice([1, 2, 6]))]
    if name == "logical_product":
        return name, [a, layout(rng)[0]]
    divisors = [n for n in range(1, size + 1) if size % n == 0]
    n = rng.choice(divisors)
    return name, [a, f"{n}:{rng.choice([d for d in divisors if (size // n) % d == 0])}"]


def timed(command, text):
    begin = time.perf_counter()
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if len(run.stdout.splitlines()) != COUNT:
        sys.exit(f"{command[0]} answered {len(run.stdout.splitlines())} of {COUNT}: {run.stderr[-500:]}")
    return seconds, sum('"error"' in line for line in run.stdout.splitlines())


def main():
    rng = random.Random(1)
    expressions = [expression(rng) for _ in range(COUNT)]
    ours = "".join(f"{name}({', '.join(operands)})\n" for name, operands in expressions)
    theirs = "".join(f"{name}({'; '.join(operands)})\n" for name, operands in expressions)
    seconds = {"tilewright": [], "pycute": []}
    refused = {}
    for _ in range(RUNS):
        for name, command, text in (("tilewright", sys.argv[2:] + ["layout", "eval", "--json"], ours),
                                    ("pycute", [sys.executable, "-c", PYCUTE, sys.argv[1]], theirs)):
            took, refused[name] = timed(command, text)
            seconds[name].append(took)
    medians = {name: round(statistics.median(times), 2) for name, times in seconds.items()}
    print(json.dumps({"expressions": COUNT, "seconds": medians, "refused": refused,
                      "ratio": round(medians["pycute"] / medians["tilewright"], 1),
                      "python": platform.python_version()}))


if __name__ == "__main__":
    main()
