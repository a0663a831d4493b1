"""Launches as Python packs them, beside those that Java prepares for the same problems.

Java writes a folder of problems, and names it in TILEWRIGHT_PROBLEMS; see PackageDataTest.
"""

import json
import os
import pathlib

import pytest
from standin import StandIn, number

from tilewright import _dispatch, _launch

FOLDER = os.environ.get("TILEWRIGHT_PROBLEMS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="Java has written no problems")


def cases():
    return sorted(pathlib.Path(FOLDER).glob("*.json")) if FOLDER else []


@pytest.mark.parametrize("file", cases(), ids=lambda file: file.stem)
def test_choices_and_arguments_are_javas(file):
    given = json.loads(file.read_text())
    correction = _dispatch.Correction(given["correction"]) if "correction" in given else None
    case = _dispatch.Case(given["data"], correction)
    scalars = {"scale": 0.5, "softcap": 3.0, "softcapRate": 2 / 3, "epsilon": 1e-5, "alpha": 1.0, "beta": 1.0,
               "f0": 1.0, "f1": 2.0, "alibiShift": 3.0}
    names = sorted({argument[1] for problem in given["problems"] for launch in problem["launches"]
                    for argument in launch["arguments"] if argument[0] in ("pointer", "map")})
    addresses = [(index + 1) << 20 for index in range(len(names))]
    for problem in given["problems"]:
        numbers = problem["numbers"]
        case.derive(numbers)
        template = case.choose(numbers)
        if not problem["launches"]:
            assert template is None
            continue
        driver = StandIn()
        kernels = {launch["kernel"]: dict(block=[1, 1, 1], cluster=[1, 1, 1], shared=0, features=[])
                   for launch in problem["launches"]}
        launches = _launch.Launches(driver, template, kernels, numbers, names, scalars, lambda kernel: kernel)
        launches.run(addresses, 7, 0)
        assert [size(numbers)[0] for _, size in template.workspace] == problem["workspace"]
        for wanted, (function, grid, _, _, stream, places) in zip(problem["launches"], driver.launched, strict=True):
            assert (function, grid, stream) == (wanted["kernel"], wanted["grid"], 7), numbers
            for argument, place in zip(wanted["arguments"], places, strict=True):
                kind, first, *others = argument
                if kind == "pointer":
                    assert number(place, kind) == addresses[names.index(first)]
                elif kind == "map":
                    address = addresses[names.index(first)]
                    assert driver.maps[place] == [others[0], address, *others[1:]], numbers
                elif kind != "f32":
                    assert number(place, kind) == first, numbers
