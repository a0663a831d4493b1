"""Latent attention: what it launches and refuses; no GPU and no PyTorch."""

import json

import pytest
from plain_torch import Tensor
from standin import case, kernel, number, standing_in

DECODE = ([["pointer", name] for name in ("q", "k", "o", "lse", "lengths", "table", "schedule", "partialO")]
          + [["u32", name] for name in ("B", "Sq", "Sk", "H", "T", "P", "workers")]
          + [["s64", name] for name in ("q_b", "q_s", "q_h", "k_s", "o_b", "lse_h")] + [["f32", "scale"]])
CHOSEN = [argument for argument in DECODE if argument[1] != "T"]
SCHEDULE = [["pointer", "lengths"], ["pointer", "schedule"], ["u32", "B"], ["u32", "Sk"], ["u32", "workers"]]


def workers(rows):
    return [["tiles", ["ceil", rows, 64]], ["workers", ["max", ["//", 132, ["max", "tiles", 1]], 1]]]


def decoding(arguments, rows):
    launch = {"kernel": 0, "grid": [1, 1, 1], "arguments": arguments}
    return {"axes": [["dim", "D", [576]]], "choice": 0, "derived": workers(rows),
            "launches": [{"workspace": [["partialO", ["*", "workers", 8]]], "launches": [launch]}]}


def data(folder):
    decode = decoding(DECODE, ["*", "Sq", "H"])
    cases = {f"{kind}-{mask}-by{heads}": decode for kind in ("bf16", "f16") for mask in ("all", "causal")
             for heads in (8, 16, 32, 64)}
    chosen = decoding(CHOSEN, ["*", 64, ["*", "Sq", ["ceil", "H", 64]]])
    cases.update({f"bf16-chosen-by{heads}": chosen for heads in (8, 16, 32, 64)})
    schedule = case(SCHEDULE, launch={"grid": [1, 1, 1]}, derived=workers("R"))
    (folder / "sm90.json").write_text(json.dumps({"mla_decode": cases, "mla_schedule": {"any": schedule}}))
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    data(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def launched(driver, arguments, place=-1):
    """A launch's arguments by kind and name."""
    return {(kind, name): number(at, kind)
            for (kind, name), at in zip(arguments, driver.launched[place][5], strict=True)}


def integers(*shape, **options):
    return Tensor(*shape, dtype="int32", **options)


def given(batch=3, queries=1, heads=16, pages=5, **options):
    """Arguments of flash_mla_with_kvcache but for the schedule."""
    return (Tensor(batch, queries, heads, 576, **options), Tensor(40, 64, 1, 576, **options), integers(batch, pages),
            integers(batch), 512)


def test_a_schedule_serves_all_layers(driver):
    from tilewright import flash_mla_with_kvcache, get_mla_metadata

    q, cache, table, lengths, dim = given(queries=2, heads=128)
    metadata, splits = get_mla_metadata(lengths, 2 * 128, 1)
    assert (metadata.shape, metadata.stride(), splits.shape) == ((4, 5), (0, 1), (4,))
    scheduled = launched(driver, SCHEDULE)
    assert [scheduled["u32", name] for name in ("B", "workers")] == [3, 33]
    assert scheduled["pointer", "lengths"] == lengths.data_ptr()
    assert scheduled["pointer", "schedule"] == metadata.data_ptr() == splits.data_ptr()
    assert 3 * (scheduled["u32", "Sk"] // 64 + 3) <= 1 << 29
    for _ in range(2):
        out, lse = flash_mla_with_kvcache(q, cache, table, lengths, dim, metadata, splits, causal=True)
    assert (out.shape, lse.shape) == ((3, 2, 128, 512), (3, 128, 2)) and len(driver.launched) == 3
    found = launched(driver, DECODE)
    assert [found["u32", name] for name in ("B", "Sq", "Sk", "H", "T", "P", "workers")] == [3, 2, 320, 128, 5, 40, 33]
    assert [found["s64", name] for name in ("q_b", "q_s", "q_h", "k_s", "o_b", "lse_h")] == [
        2 * 128 * 576, 128 * 576, 576, 576, 2 * 128 * 512, 2]
    assert found["pointer", "schedule"] == metadata.data_ptr() and found["pointer", "table"] == table.data_ptr()
    assert found["f32", "scale"] == pytest.approx(576 ** -0.5)


def test_without_a_schedule_a_call_computes_one(driver):
    from tilewright import mla_decode

    q, cache, table, lengths, _ = given(heads=8)
    mla_decode(q, cache, table, lengths, scale=192 ** -0.5)
    assert len(driver.launched) == 2 and launched(driver, SCHEDULE, 0)["u32", "workers"] == 132
    found = launched(driver, DECODE)
    assert found["f32", "scale"] == pytest.approx(192 ** -0.5)
    assert found["pointer", "schedule"] == launched(driver, SCHEDULE, 0)["pointer", "schedule"]


@pytest.mark.parametrize("heads, queries, causal, key", [
    (8, 1, True, "all-by8"), (16, 3, True, "causal-by16"), (32, 3, False, "all-by32"), (64, 2, True, "causal-by64"),
    (192, 1, False, "all-by64")])
def test_heads_and_the_mask_choose_the_kernel(driver, heads, queries, causal, key):
    from tilewright import _runtime, mla_decode

    mla_decode(*given(heads=heads, queries=queries)[:4], causal=causal)
    assert ("mla_decode", "bf16-" + key) in _runtime.device(0).data._cases


def test_chosen_tokens_take_the_place_of_pages(driver):
    from tilewright import _runtime, flash_mla_with_kvcache, get_mla_metadata

    q, cache, _, lengths, dim = given(queries=2, heads=128)
    indices = integers(3, 2, 70)
    metadata, splits = get_mla_metadata(lengths, 2 * 128, 1, 128, topk=70)
    assert metadata.shape == (4, 5)
    out, lse = flash_mla_with_kvcache(q, cache, None, None, dim, metadata, splits, indices=indices)
    found = launched(driver, CHOSEN)
    assert found["pointer", "table"] == indices.data_ptr()
    assert [found["u32", name] for name in ("B", "Sq", "Sk", "H", "P", "workers")] == [3, 2, 70, 128, 40, 33]
    assert ("mla_decode", "bf16-chosen-by64") in _runtime.device(0).data._cases
    assert (out.shape, lse.shape) == ((3, 2, 128, 512), (3, 128, 2))


def test_each_query_that_chooses_tokens_has_its_own_tiles(driver):
    from tilewright import get_mla_metadata, mla_decode

    q, cache, *_ = given(queries=3, heads=16)
    metadata, _ = get_mla_metadata(integers(3), 3 * 16, 1, 16, topk=70)
    assert metadata.shape == (3, 5)
    used = integers(3)
    mla_decode(q, cache, None, used, metadata, indices=integers(3, 3, 70))
    found = launched(driver, CHOSEN)
    assert (found["pointer", "lengths"], found["u32", "workers"]) == (used.data_ptr(), 44)
    mla_decode(q, cache, None, None, indices=integers(3, 3, 70))
    assert launched(driver, SCHEDULE, -2)["u32", "workers"] == 44
    with pytest.raises(ValueError, match="schedule is torch.int32 of shape .1, 5.: needed is torch.int32 of .3, 5."):
        mla_decode(q, cache, None, used, integers(1, 5), indices=integers(3, 3, 70))
    out, lse = mla_decode(q, cache, None, None, metadata, indices=integers(3, 3, 0))
    assert (out.filled, lse.filled) == (0, float("-inf"))


def test_entries_without_room_have_no_launch(driver):
    from tilewright import mla_decode

    q, cache, _, lengths, _ = given()
    out, lse = mla_decode(q, cache, integers(3, 0), lengths, integers(1, 5))
    assert (out.filled, lse.filled, len(driver.launched)) == (0, float("-inf"), 0)


@pytest.mark.parametrize("change, message", [
    (dict(heads=12), "12 heads: needed are 8, 16, 32, 64, or a multiple of 64"),
    (dict(queries=5, heads=16), r"the schedule is torch.int32 of shape \(1, 5\): needed is torch.int32 of \(2, 5\)"),
    (dict(dtype="float32"), "float32: needed is torch.bfloat16"),
    (dict(batch=1 << 13, pages=1 << 16), "a batch of 8192 with 65536 pages each: needed are at most 536870912 pages")])
def test_what_has_no_kernel_is_refused(driver, change, message):
    from tilewright import mla_decode, mla_schedule

    schedule = mla_schedule(integers(3), 64) if "queries" in change else None
    with pytest.raises((NotImplementedError, ValueError, TypeError), match=message):
        mla_decode(*given(**change)[:4], schedule)


@pytest.mark.parametrize("place, tensor, message", [
    (1, Tensor(40, 32, 1, 576), r"needed is \(pages, 64, 1, 576\)"),
    (1, Tensor(40, 64, 1, 512), "q has head dimension 576, but k_cache has 512"),
    (1, Tensor(40, 64, 1, 576, strides=(65 * 576, 576, 576, 1)), "one after the other"),
    (1, Tensor(40, 64, 2, 576), r"needed is \(pages, 64, 1, 576\)"),
    (2, integers(3), r"block_table has shape \(3,\): needed is \(batch, pages of an entry\)"),
    (2, integers(3, 5, strides=(8, 1)), "block_table is .* needed is a contiguous torch.int32"),
    (3, integers(4), "cache_seqlens is .* needed is a contiguous torch.int32"),
    (4, 256, "head_dim_v is 256: needed is 512")])
def test_tensors_that_do_not_fit_are_refused(driver, place, tensor, message):
    from tilewright import flash_mla_with_kvcache, mla_schedule

    arguments = list(given())
    arguments[place] = tensor
    with pytest.raises((NotImplementedError, ValueError), match=message):
        flash_mla_with_kvcache(*arguments, mla_schedule(integers(3), 16))


def test_options_that_do_not_fit_are_refused(driver):
    from tilewright import flash_mla_with_kvcache, get_mla_metadata, mla_schedule

    for call, message in (
            (lambda: get_mla_metadata(integers(3), 16, 2), "num_heads_k is 2: needed is 1"),
            (lambda: get_mla_metadata(integers(3), 16, 1, is_fp8_kvcache=True), "is_fp8_kvcache is True: needed is"),
            (lambda: get_mla_metadata(integers(3), 16, 1, topk=2048), "num_heads_q is None with topk: needed are"),
            (lambda: get_mla_metadata(integers(3), 16, 1, 32, topk=2048), "num_heads_q is 32 with topk: needed are"),
            (lambda: flash_mla_with_kvcache(*given(), indices=integers(3, 1, 70), causal=True), "causal is True"),
            (lambda: flash_mla_with_kvcache(*given(), indices=integers(3, 70)), r"indices have shape \(3, 70\)"),
            (lambda: flash_mla_with_kvcache(*given(), integers(1, 5), indices=integers(3, 2, 70)),
             r"indices is .* of \(3, 1, 70\)"),
            (lambda: get_mla_metadata(integers(3), 0, 1), "rows are 0: needed are queries times heads"),
            (lambda: mla_schedule(Tensor(3, dtype="int64"), 16), "lengths are torch.int64 of shape .3,."),
            (lambda: flash_mla_with_kvcache(*given(), None, integers(3)), "num_splits are .* needed are those of"),
            (lambda: flash_mla_with_kvcache(*given(), softmax_scale=0.0), "scale is 0.0: needed is a positive number")):
        with pytest.raises((NotImplementedError, ValueError), match=message):
            call()
    assert not driver.launched
