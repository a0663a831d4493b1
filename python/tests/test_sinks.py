"""Attention with sinks: what it launches and refuses; no GPU and no PyTorch."""

import json

import pytest
from plain_torch import Tensor
from standin import kernel, number, standing_in

FORWARD = [["pointer", name] for name in ("q", "k", "v", "o", "lse", "sinks")] + [["u32", "H"], ["u32", "Sq"]]
CACHED = [["pointer", name] for name in ("q", "k", "v", "o", "lse", "lengths", "sinks")] + [["u32", "H"], ["u32", "Sq"]]


def case(arguments, *axes):
    launch = {"kernel": 0, "grid": [1, 1, 1], "arguments": arguments}
    return {"axes": [["dim", "D", [64, 128]], *axes], "choice": 0,
            "launches": [{"workspace": [], "launches": [launch]}]}


def data(folder):
    queries = ["queries", "Sq", [64]]
    forward = {f"bf16-{mask}-sinks{packed}": case(FORWARD) for mask in ("all", "causal", "window")
               for packed in ("", "-packed")}
    decode = {f"bf16-{mask}-sinks{by}": case(CACHED, queries) for mask in ("all", "causal", "window")
              for by in ("", "-by8")}
    (folder / "sm90.json").write_text(json.dumps({"attention_forward": forward, "attention_decode": decode}))
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    data(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def launched(driver, arguments):
    return {name: number(at, kind) for (kind, name), at in zip(arguments, driver.launched[-1][5], strict=True)}


def qkv(*shape):
    return [Tensor(*shape) for _ in range(3)]


def sinks(heads, dtype="float32"):
    return Tensor(heads, dtype=dtype)


def test_sinks_are_read_where_they_lie(driver):
    from tilewright import attention, flash_attn_func

    logits = sinks(8)
    out, lse = attention(*qkv(2, 30, 8, 64), causal=True, sinks=logits)
    assert (out.shape, lse.shape) == ((2, 30, 8, 64), (2, 8, 30))
    assert launched(driver, FORWARD)["sinks"] == logits.data_ptr()
    out, lse, none = flash_attn_func(*qkv(2, 30, 8, 64), window_size=(5, 0), s_aux=logits, return_attn_probs=True)
    assert (out.shape, lse.shape, none) == ((2, 30, 8, 64), (2, 8, 30), None) and len(driver.launched) == 2


def test_sinks_of_16_bits_are_converted(driver):
    from tilewright import attention

    logits = sinks(8, "bfloat16")
    attention(*qkv(2, 30, 8, 64), sinks=logits)
    assert launched(driver, FORWARD)["sinks"] != logits.data_ptr()


def test_packed_sequences_have_sinks(driver):
    from tilewright import flash_attn_varlen_func

    logits, lengths = sinks(8), Tensor(4, dtype="int32")
    out = flash_attn_varlen_func(*qkv(100, 8, 64), lengths, lengths, 60, 60, causal=True, s_aux=logits)
    assert out.shape == (100, 8, 64) and launched(driver, FORWARD)["sinks"] == logits.data_ptr()


def test_heads_with_sinks_on_a_cache_are_not_queries(driver):
    from tilewright import _runtime, flash_attn_with_kvcache

    logits, lengths = sinks(64), Tensor(2, dtype="int32")
    flash_attn_with_kvcache(Tensor(2, 1, 64, 64), *qkv(2, 512, 8, 64)[:2], cache_seqlens=lengths, s_aux=logits)
    given = launched(driver, CACHED)
    assert (given["sinks"], given["H"], given["Sq"]) == (logits.data_ptr(), 64, 1)
    assert ("attention_decode", "bf16-causal-sinks-by8") in _runtime.device(0).data._cases


def test_a_row_without_keys_has_its_sink_alone(driver):
    from tilewright import attention, attention_with_cache

    out, lse = attention(Tensor(2, 30, 8, 64), *qkv(2, 0, 8, 64)[:2], sinks=sinks(8))
    assert out.filled == 0 and lse.shape == (2, 8, 30) and lse.filled is None
    out, lse = attention_with_cache(Tensor(2, 1, 8, 64), *qkv(2, 0, 8, 64)[:2], sinks=sinks(8))
    assert out.filled == 0 and lse.shape == (2, 8, 1) and lse.filled is None and not driver.launched


def test_what_no_kernel_has_beside_sinks_is_refused(driver):
    from tilewright import attention, attention_with_cache

    q, k, v = qkv(2, 30, 8, 64)
    for call, message in (
            (lambda: attention(q, k, v, sinks=sinks(4)), r"sinks are torch.float32 of shape \(4,\): needed are .*8,"),
            (lambda: attention(q, k, v, sinks=sinks(8), softcap=3.0), "sinks and softcap 3.0 are given: needed is one"),
            (lambda: attention(q, k, v, sinks=sinks(8), alibi_slopes=sinks(8)), "sinks and alibi_slopes are given"),
            (lambda: attention_with_cache(q, k, v, sinks=sinks(8), softcap=3.0), "sinks and softcap 3.0 are given"),
            (lambda: attention(Tensor(2, 30, 8, 64, requires_grad=True), k, v, sinks=sinks(8)), "has no gradients"),
            (lambda: attention(*qkv(2, 30, 8, 192), sinks=sinks(8)), "head dimension 192: needed is at most 128")):
        with pytest.raises((NotImplementedError, ValueError), match=message):
            call()
    assert not driver.launched
