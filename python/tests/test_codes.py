"""Attention on caches of codes: what it launches and refuses; no GPU and no PyTorch."""

import json

import pytest
from plain_torch import Tensor
from standin import case, kernel, number, standing_in

GIVEN = ([["pointer", name] for name in ("q", "k", "v", "o", "lse", "lengths", "descaleK", "descaleV", "schedule")]
         + [["u32", name] for name in ("B", "Sq", "Sk", "H", "Hk")]
         + [["s64", name] for name in ("q_s", "q_h", "k_s", "kf_b", "kf_s", "kf_h", "vf_b", "vf_s", "vf_h")])
APPENDED = ([["pointer", name] for name in ("newK", "k", "q", "descaleK", "descaleV", "lengths")]
            + [["u32", name] for name in ("B", "Sq", "Sk", "H", "Hk", "R")]
            + [["s64", name] for name in ("k_s", "kf_b", "kf_s", "kf_h", "vf_s")])


def data(folder):
    launch = {"kernel": 0, "grid": [1, 1, 1], "arguments": GIVEN}
    attends = {"axes": [["dim", "D", [64, 128]]], "choice": 0,
            "launches": [{"workspace": [["schedule", ["*", "B", 4]]], "launches": [launch]}]}
    cases = {f"bf16-{mask}{page}-by{sharers}{tokens}": attends for mask in ("all", "causal")
             for page in ("", "-pages16") for sharers in (1, 4, 8) for tokens in ("", "-tokens")}
    axes = [["dim", "D", [64, 128]], ["turned", "R", [64, 128]]]
    appends = {f"bf16{turns}{page}-codes{tokens}": case(APPENDED, axes=axes[:1 + bool(turns)],
                                                        launch={"grid": ["B", 1, 1]})
               for turns in ("", "-half") for page in ("", "-pages") for tokens in ("", "-tokens")}
    (folder / "sm90.json").write_text(json.dumps({"attention_codes": cases, "append_cache": appends}))
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    data(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def launched(driver, place=-1, given=GIVEN):
    return {name: number(at, kind) for (kind, name), at in zip(given, driver.launched[place][5], strict=True)}


def codes(*shape):
    return [Tensor(*shape, dtype="float8_e4m3fn") for _ in range(2)]


def integers(*shape):
    return Tensor(*shape, dtype="int32")


def cases():
    from tilewright import _runtime
    return [key for _, key in _runtime.device(0).data._cases]


def test_one_query_of_heads_that_share_codes_is_several_queries_of_one(driver):
    from tilewright import flash_attn_with_kvcache

    q, (k, v), factors = Tensor(2, 1, 40, 128), codes(2, 512, 8, 128), Tensor(2, 8, dtype="float32")
    out, lse = flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(2), causal=True, k_descale=factors,
                                       v_descale=factors, return_softmax_lse=True)
    assert (out.shape, out.dtype, lse.shape) == ((2, 1, 40, 128), q.dtype, (2, 40, 1)) and cases() == ["bf16-all-by1"]
    given = launched(driver)
    assert [given[name] for name in ("Sq", "H", "Hk", "q_s", "q_h", "k_s")] == [5, 8, 8, 128, 640, 1024]
    assert [given[name] for name in ("kf_b", "kf_h", "vf_b", "vf_h")] == [8, 1, 8, 1]
    assert given["descaleK"] == factors.data_ptr() and given["schedule"] > 0


def test_several_queries_have_tiles_of_the_heads_that_share_codes(driver):
    from tilewright import flash_attn_with_kvcache

    table = integers(2, 6)
    flash_attn_with_kvcache(Tensor(2, 3, 32, 64), *codes(20, 16, 8, 64), cache_seqlens=integers(2), causal=True,
                            block_table=table, k_descale=0.5)
    given = launched(driver)
    assert cases() == ["bf16-causal-pages16-by4"]
    assert [given[name] for name in ("Sq", "H", "Hk", "Sk", "kf_b", "kf_h", "vf_b")] == [3, 32, 8, 96, 0, 0, 0]


def test_factors_of_tokens_lie_as_the_rows_of_the_cache(driver):
    from tilewright import flash_attn_with_kvcache

    q, (k, v), lengths = Tensor(2, 1, 40, 128), codes(2, 512, 8, 128), integers(2)
    ofK, ofV = Tensor(2, 512, 8, dtype="float32"), Tensor(2, 512, 8, dtype="float32", strides=(4096, 1, 512))
    flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, k_descale=ofK, v_descale=ofV)
    given = launched(driver)
    assert cases() == ["bf16-all-by1-tokens"]
    assert [given[name] for name in ("kf_b", "kf_s", "kf_h", "vf_b", "vf_s", "vf_h")] == [4096, 8, 1, 4096, 1, 512]
    factors = [Tensor(20, 16, 8, dtype="float32") for _ in range(2)]
    flash_attn_with_kvcache(Tensor(2, 3, 32, 64), *codes(20, 16, 8, 64), cache_seqlens=lengths, causal=True,
                            block_table=integers(2, 6), k_descale=factors[0], v_descale=factors[1])
    given = launched(driver)
    assert cases()[-1] == "bf16-causal-pages16-by4-tokens"
    assert (given["kf_b"], given["descaleV"]) == (128, factors[1].data_ptr())


@pytest.mark.parametrize("factors", ["tokens", "heads", "none"])
def test_new_tokens_become_codes(driver, factors):
    from tilewright import flash_attn_with_kvcache

    table, tables = integers(2, 6), [Tensor(96, 32, dtype="float32") for _ in range(2)]
    shape = {"tokens": (20, 16, 8), "heads": (2, 8)}.get(factors)
    given = [Tensor(*shape, dtype="float32") if shape else None for _ in range(2)]
    new, cache = [Tensor(2, 1, 8, 128) for _ in range(2)], codes(20, 16, 8, 128)
    flash_attn_with_kvcache(Tensor(2, 1, 32, 128), *cache, *new, *tables, cache_seqlens=integers(2), causal=True,
                            block_table=table, rotary_interleaved=False, k_descale=given[0], v_descale=given[1])
    appended, attends = launched(driver, 0, APPENDED), launched(driver, 1)
    suffix = "-tokens" if factors == "tokens" else ""
    assert sorted(cases()) == sorted([f"bf16-half-pages-codes{suffix}", f"bf16-all-pages16-by1{suffix}"])
    assert [appended[name] for name in ("B", "Sq", "Sk", "H", "Hk", "R")] == [2, 1, 96, 32, 8, 64]
    strides = {"tokens": [128, 8, 1, 8], "heads": [8, 0, 1, 0], "none": [0, 0, 0, 0]}[factors]
    assert [appended[name] for name in ("kf_b", "kf_s", "kf_h", "vf_s")] == strides
    assert appended["newK"] == new[0].data_ptr() and appended["k"] == attends["k"] == cache[0].data_ptr()
    assert attends["q"] == appended["q"]
    if shape:
        assert [appended[name] for name in ("descaleK", "descaleV")] == [x.data_ptr() for x in given]


def test_tokens_are_appended_alone(driver):
    from tilewright import append_cache

    k, v = codes(2, 64, 8, 64)
    factors = [Tensor(2, 64, 8, dtype="float32") for _ in range(2)]
    append_cache(k, v, Tensor(2, 5, 8, 64), Tensor(2, 5, 8, 64), 7, k_descale=factors[0], v_descale=factors[1])
    given = launched(driver, 0, APPENDED)
    assert cases() == ["bf16-codes-tokens"] and (given["Sq"], given["kf_b"], given["kf_s"]) == (5, 512, 8)
    for options, new, message in (
            ({}, Tensor(2, 5, 8, 64, dtype="float16"), "k is torch.float16 for a cache .* needed is torch.bfloat16"),
            (dict(k_descale=factors[0]), Tensor(2, 5, 8, 64), "needed are factors of tokens for both, or for none"),
            (dict(k_descale=Tensor(2, 60, 8, dtype="float32"), v_descale=factors[1]), Tensor(2, 5, 8, 64),
             r"k_descale is torch.float32 of shape \(2, 60, 8\): needed is .* or \(2, 64, 8\)")):
        with pytest.raises((NotImplementedError, ValueError), match=message):
            append_cache(k, v, new, new, 7, **options)
    with pytest.raises(ValueError, match="needed is a cache of torch.float8_e4m3fn, or None"):
        append_cache(Tensor(2, 64, 8, 64), Tensor(2, 64, 8, 64), new, new, 7, v_descale=1.0)


def test_what_no_kernel_has_on_codes_is_refused(driver):
    from tilewright import attention_with_cache, flash_attn_with_kvcache

    q, (k, v), lengths = Tensor(2, 1, 8, 64), codes(2, 64, 8, 64), integers(2)
    tokens = Tensor(2, 64, 8, dtype="float32")

    def call(q=q, k=k, v=v, **options):
        return lambda: attention_with_cache(q, k, v, lengths, **options)

    for refused, message in (
            (call(sinks=Tensor(8, dtype="float32")), "a cache of torch.float8_e4m3fn is given with sinks"),
            (call(softcap=3.0), "given with softcap 3.0"), (call(splits=2), "given with splits 2"),
            (call(window=(5, 0)), r"given with window \(5, 0\)"), (call(leftpad=lengths), "given with leftpad"),
            (call(batch_idx=lengths), "given with batch_idx"),
            (call(q=Tensor(2, 1, 8, 64, dtype="float16")), "q is torch.float16 on a cache .* needed is torch.bfloat16"),
            (call(v=Tensor(2, 64, 8, 64)), "v_cache is torch.bfloat16: needed is torch.float8_e4m3fn"),
            (call(q=Tensor(2, 3, 24, 64)), "3 queries of 24 heads that share 8 .* needed are 1, 4, 8 heads"),
            (call(k_descale=Tensor(8, dtype="float32")), r"k_descale is .* needed is torch.float32 of one number, "),
            (call(k=codes(40, 48, 8, 64)[0], v=codes(40, 48, 8, 64)[1], block_table=integers(2, 3)),
             "pages of 48 rows of torch.float8_e4m3fn: needed are 16 or 64"),
            (call(k=Tensor(2, 64, 8, 64), v=Tensor(2, 64, 8, 64), k_descale=1.0), "needed is a cache of torch.float8"),
            (call(q=Tensor(2, 3, 32, 64), k_descale=tokens, v_descale=tokens), "of tokens: needed is one, or"),
            (call(k_descale=tokens), "needed are factors of tokens for both, or for none"),
            # Nothing is appended before what follows is known to be possible.
            (lambda: flash_attn_with_kvcache(q, k, v, q, q, cache_seqlens=lengths, softcap=3.0),
             "given with softcap 3.0"),
            (lambda: flash_attn_with_kvcache(Tensor(2, 3, 24, 64), k, v, q, q, cache_seqlens=lengths),
             "3 queries of 24 heads that share 8"),
            (lambda: flash_attn_with_kvcache(Tensor(2, 3, 32, 64), k, v, q, q, cache_seqlens=lengths, k_descale=tokens,
                                             v_descale=tokens), "of tokens: needed is one, or")):
        with pytest.raises((NotImplementedError, ValueError, TypeError), match=message):
            refused()
    assert not driver.launched
