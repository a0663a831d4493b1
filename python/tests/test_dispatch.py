"""Formulas, choices, launches and errors, without a GPU and without PyTorch."""

import subprocess
import sys

import pytest
from standin import StandIn, number

from tilewright import _dispatch, _launch, _runtime


def test_formulas_are_functions_of_numbers():
    evaluate = _dispatch.function([7, "M", ["*", ["ceil", "M", 128], "N"], ["//", "M", 3], ["min", "M", 5],
                                   ["max", ["-", 9, "M"], 1], ["upto", "M", 10, "M", 1],
                                   ["upto", "M", 1000, "M", 1], ["/", "M", 8], ["*", "M", 0.5]])
    assert evaluate({"M": 300, "N": 2}) == (7, 300, 6, 100, 5, 1, 1, 300, 37.5, 150.0)


def test_the_fewest_that_come_near_the_least_are_found():
    # Waves of two: 8 blocks in 1 to 4 parts take 9.5, 5.5, 9 and 7.
    parts = ["fewest", "p", "most", ["*", ["ceil", "p", 2], ["+", ["ceil", "N", "p"], 1.5]], 0.97]
    evaluate = _dispatch.function([parts])
    assert [evaluate({"N": 8, "most": most}) for most in (1, 2, 4)] == [(1,), (2,), (2,)]
    assert evaluate({"N": 0, "most": 4}) == (1,)


def test_numbers_are_derived_in_order():
    derived = case(derived=[["W", ["*", "Sk", 2]], ["half", ["//", "W", 4]]])
    numbers = {"D": 64, "Sk": 33}
    derived.derive(numbers)
    assert numbers == {"D": 64, "Sk": 33, "W": 66, "half": 16}


def test_the_first_of_the_cheapest_candidates_is_chosen():
    steps = ["M", 2, ["*", 0, 1], 100, ["upto", 0, 1, 3, 2]]
    chosen = _dispatch.Cheapest({"steps": steps, "first": 5, "candidates": [
        [3, 1, [[2, 0]], []], [2, 1, [[2, 1]], []], [4, 1, [[2, 2]], []]]})
    # Twice M and 100 beside each other; the form of the last candidate is not there.
    assert [chosen.choose({"M": m}) for m in (10, 50, 60, 1)] == [1, 0, 0, 1]
    without = _dispatch.Cheapest({"steps": steps, "first": 5, "candidates": [[3, 1, [[7, 0]], []]]})
    assert without.choose({"M": 1}) == -1


def test_costs_are_corrected_by_trees_over_features():
    # Up to 10 times M the first tree takes 0.25 off, else it adds 0.125; the second adds 0.125 from M = 8 on.
    trees = [[[0], [10.0], [-0.25, 0.125]], [[1], [7.5], [0.0, 0.125]]]
    correction = _dispatch.Correction({"least": -0.25, "most": 0.5, "trees": trees})
    assert [correction.factor([0, 8]), correction.factor([0, 0]), correction.factor([11, 8])] == [
        1 - 0.125 + 0.125 ** 2 / 2, 1 - 0.25 + 0.25 ** 2 / 2, 1 + 0.25 + 0.25 ** 2 / 2]
    # A hundred, or a tenth less than that if the feature, 2 M, is at most 10: beside it 95, as it is.
    steps = ["M", 100, 95, 0, 2, ["*", 0, 4], ["upto", 0, 1, 5, 4]]
    bounded = _dispatch.Correction({**{"least": -0.125, "most": 0.5}, "trees": trees[:1]})
    chosen = _dispatch.Cheapest({"steps": steps, "first": 4, "correction": "c", "candidates": [
        [2, 3, [[0, 1]], []], [1, 3, [[0, 0]], [6]]]}, bounded)
    assert [chosen.choose({"M": m}) for m in (5, 6, 101)] == [0, 1, 0]


def case(**changes):
    data = {"axes": [["dim", "D", [64, 128]], ["keys", ["min", "Sk", "W"]]],
            "choice": ["dim", [64], [["keys", [100], [0, 1]], -1]],
            "launches": [{"workspace": [["w", ["*", "Sk", 4]]], "launches": [
                {"kernel": number, "grid": [["ceil", "Sk", 16], 1, 1],
                 "arguments": [["pointer", "q"], ["u32", "Sk"], ["s64", ["*", "q_s", 2]], ["f32", "scale"],
                               ["map", "q", 9, ["D", "Sk"], [["*", "q_s", 2]], [64, 16], [1, 1], 3, 2]]}]}
                for number in (0, 1)]}
    return _dispatch.Case({**data, **changes})


def test_choices_follow_limits():
    chosen = case()
    of = chosen.launches.index
    assert of(chosen.choose({"D": 64, "Sk": 100, "W": 500})) == 0
    assert of(chosen.choose({"D": 64, "Sk": 101, "W": 500})) == 1
    assert of(chosen.choose({"D": 64, "Sk": 101, "W": 50})) == 0
    assert chosen.choose({"D": 128, "Sk": 1, "W": 1}) is None
    assert chosen.only("dim") == [64, 128] and chosen.only("keys") is None


def launches(driver, **numbers):
    numbers = {"D": 64, "Sk": 33, "W": 50, "q_s": 72, **numbers}
    kernel = {"block": [128, 1, 1], "cluster": [2, 1, 1], "shared": 99, "features": ["programmatic"]}
    return _launch.Launches(driver, case().choose(numbers), [kernel, kernel], numbers, ("q",), {"scale": 0.25},
                            lambda kernel: kernel)


def test_launches_pack_their_arguments_once():
    driver = StandIn()
    prepared = launches(driver)
    prepared.run((4096,), 5, 0)
    prepared.run((8192,), None, 0)
    (kernel, grid, block, shared, stream, places), second = driver.launched
    assert (kernel, grid, block, shared, stream) == (0, [3, 1, 1], [128, 1, 1], 99, 5)
    assert [number(p, kind) for p, kind in zip(places, ("pointer", "u32", "s64", "f32"))] == [8192, 33, 144, 0.25]
    assert driver.maps[places[4]] == [9, 8192, [64, 33], [144], [64, 16], [1, 1], 3, 2]
    assert second[4] is None and second[5] == places


def test_strides_that_nobody_walks_are_aligned():
    driver = StandIn()
    launches(driver, Sk=1, q_s=3).run((4096,), 0, 0)
    assert driver.maps[driver.launched[0][5][4]][2:4] == [[64, 1], [32]]


def test_attributes_have_the_drivers_layout():
    cluster, programmatic = _launch.attributes({"cluster": [2, 1, 1], "features": ["programmatic"]})
    assert (len(cluster), len(programmatic)) == (72, 72)
    assert cluster[:20] == b"\x04\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\0\0"
    assert programmatic[:12] == b"\x06\0\0\0\0\0\0\0\x01\0\0\0"


def test_a_failed_launch_names_the_function_and_the_reason():
    driver = StandIn()
    driver.launch = lambda *_: 1
    with pytest.raises(RuntimeError, match="cuLaunchKernelEx: error 1"):
        launches(driver).run((4096,), 0, 0)


def test_a_thread_without_a_context_gets_one():
    driver = StandIn()
    entered, once = [], driver.launch
    driver.enter = entered.append
    driver.launch = lambda *given: once(*given) if entered else 201
    driver.encode = lambda *_: entered or pytest.fail("a tensor map without a context")
    prepared = launches(driver)
    prepared.run((4096,), 0, 3)
    assert entered == [3] and len(driver.launched) == 1
    entered.clear()
    prepared.run((4096,), 0, 3)
    assert entered == [3] and len(driver.launched) == 2


def test_what_the_package_lacks_is_named_with_the_command_that_adds_it(tmp_path):
    (tmp_path / "sm90.json").write_text('{"attention_forward": {}}')
    (tmp_path / "kernels.json").write_text("[]")
    data = _dispatch.Data(90, tmp_path)
    with pytest.raises(NotImplementedError, match="no attention_forward for bf16-all on sm90.*tilewright package"):
        data.case("attention_forward", "bf16-all")
    with pytest.raises(RuntimeError, match="compute capability 8.0: it was made for sm90; make one by"):
        _dispatch.Data(80, tmp_path)


def test_streams_have_counters_of_their_own(monkeypatch):
    monkeypatch.setattr(_runtime, "Data", lambda capability: None)
    _runtime.use(StandIn())
    device = _runtime.device(0)
    assert device is _runtime.device(0)
    assert device.counter(1) == device.counter(1) != device.counter(2)
    assert device.counter(2) - device.counter(1) == 4


def test_importing_needs_no_torch():
    code = "import sys, tilewright; dir(tilewright)"
    subprocess.run([sys.executable, "-c", code + "; assert 'torch' not in sys.modules"], check=True,
                   env={"PYTHONPATH": ":".join(sys.path)})
