"""Attention on caches of codes: what it launches and refuses; no GPU and no PyTorch."""

import json

import pytest
from plain_torch import Tensor
from standin import kernel, number, standing_in

GIVEN = ([["pointer", name] for name in ("q", "k", "v", "o", "lse", "lengths", "descaleK", "descaleV", "schedule")]
         + [["u32", name] for name in ("B", "Sq", "Sk", "H", "Hk")]
         + [["s64", name] for name in ("q_s", "q_h", "k_s", "kf_b", "kf_h", "vf_b", "vf_h")])


def data(folder):
    launch = {"kernel": 0, "grid": [1, 1, 1], "arguments": GIVEN}
    case = {"axes": [["dim", "D", [64, 128]]], "choice": 0,
            "launches": [{"workspace": [["schedule", ["*", "B", 4]]], "launches": [launch]}]}
    cases = {f"bf16-{mask}{page}-by{sharers}": case for mask in ("all", "causal") for page in ("", "-pages16")
             for sharers in (1, 4, 8)}
    (folder / "sm90.json").write_text(json.dumps({"attention_codes": cases}))
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    data(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def launched(driver):
    return {name: number(at, kind) for (kind, name), at in zip(GIVEN, driver.launched[-1][5], strict=True)}


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


def test_what_no_kernel_has_on_codes_is_refused(driver):
    from tilewright import attention_with_cache, flash_attn_with_kvcache

    q, (k, v), lengths = Tensor(2, 1, 8, 64), codes(2, 64, 8, 64), integers(2)

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
            (call(k_descale=Tensor(8, dtype="float32")), r"k_descale is .* needed is torch.float32 of one number or"),
            (call(k=codes(40, 48, 8, 64)[0], v=codes(40, 48, 8, 64)[1], block_table=integers(2, 3)),
             "pages of 48 rows of torch.float8_e4m3fn: needed are 16 or 64"),
            (call(k=Tensor(2, 64, 8, 64), v=Tensor(2, 64, 8, 64), k_descale=1.0), "needed is a cache of torch.float8"),
            (lambda: flash_attn_with_kvcache(q, k, v, *codes(2, 1, 8, 64), cache_seqlens=lengths),
             "k and v are given for a cache of torch.float8_e4m3fn: needed are None")):
        with pytest.raises((NotImplementedError, ValueError, TypeError), match=message):
            refused()
    assert not driver.launched
