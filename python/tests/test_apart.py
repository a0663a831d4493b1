"""Attention with maxima and sums apart: what it launches and refuses; no GPU and no PyTorch."""

import json

import pytest
from plain_torch import Tensor
from standin import kernel, number, standing_in

STATES = [["pointer", name] for name in ("q", "k", "v", "o", "lse", "sums")] + [
    ["u32", "H"], ["u32", "Sq"], ["u32", "Sk"], ["s64", "lse_h"], ["f32", "scale"]]


@pytest.fixture
def driver(monkeypatch, tmp_path):
    launch = {"kernel": 0, "grid": [1, 1, 1], "arguments": STATES}
    case = {"axes": [["dim", "D", [64, 128]]], "choice": 0, "launches": [{"workspace": [], "launches": [launch]}]}
    cases = {f"{kind}-{mask}-apart": case for kind in ("bf16", "f16") for mask in ("all", "causal", "window")}
    (tmp_path / "sm90.json").write_text(json.dumps({"attention_forward": cases}))
    kernel(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def launched(driver):
    return {name: number(at, kind) for (kind, name), at in zip(STATES, driver.launched[-1][5], strict=True)}


def test_maxima_and_sums_lie_apart(driver):
    from tilewright import attention_states

    q, k, v = Tensor(2, 30, 8, 64), Tensor(2, 50, 4, 64), Tensor(2, 50, 4, 64)
    out, maxima, sums = attention_states(q, k, v, scale=0.5)
    assert (out.shape, maxima.shape, sums.shape) == ((2, 30, 8, 64), (2, 8, 30), (2, 8, 30))
    found = launched(driver)
    assert [found[name] for name in ("q", "k", "v", "o", "lse", "sums")] == [
        x.data_ptr() for x in (q, k, v, out, maxima, sums)]
    assert [found[name] for name in ("H", "Sq", "Sk", "lse_h", "scale")] == [8, 30, 50, 30, 0.5]


@pytest.mark.parametrize("options, key", [(dict(causal=True), "bf16-causal-apart"), (dict(window=(5, 0)),
                                                                                    "bf16-window-apart")])
def test_the_mask_chooses_the_kernel(driver, options, key):
    from tilewright import _runtime, attention_states

    attention_states(*[Tensor(1, 30, 8, 128)] * 3, **options)
    assert ("attention_forward", key) in _runtime.device(0).data._cases


def test_no_keys_have_no_launch(driver):
    from tilewright import attention_states

    out, maxima, sums = attention_states(Tensor(2, 30, 8, 64), *[Tensor(2, 0, 8, 64)] * 2)
    assert (out.filled, maxima.filled, sums.filled, driver.launched) == (0, float("-inf"), 0, [])


@pytest.mark.parametrize("tensors, options, message", [
    ([Tensor(2, 30, 8, 192)] * 3, {}, "head dimension 192: needed is at most 128"),
    ([Tensor(30, 8, 64)] * 3, {}, r"q has shape \(30, 8, 64\): needed is \(batch, sequence, heads, dim\)"),
    ([Tensor(2, 30, 8, 64)] * 3, dict(scale=0.0), "scale is 0.0: needed is a positive number"),
    ([Tensor(2, 30, 8, 64, requires_grad=True)] * 3, {}, "has no gradients: needed are tensors without requires_grad")])
def test_what_has_no_kernel_is_refused(driver, tensors, options, message):
    from tilewright import attention_states

    with pytest.raises((NotImplementedError, ValueError), match=message):
        attention_states(*tensors, **options)
