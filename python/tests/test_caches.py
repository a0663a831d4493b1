"""Attention on caches: what it launches, appends and refuses; no GPU and no PyTorch."""

import json

import pytest
from plain_torch import Tensor
from standin import StandIn, kernel, number, standing_in

from tilewright import _dispatch, _runtime

EXTENTS = ["B", "Sq", "Sk", "H", "Hk", "D", "L", "R", "asked", "each", "splits"]
PAGES = ["T", "P", "rows"]
STRIDES = [f"{tensor}_{mode}" for tensor in ("q", "k", "v", "o", "lse") for mode in "bsh"]
BUFFERS = ["q", "k", "v", "o", "lse", "tiles", "lengths", "partialO"]
NEW = [f"{tensor}_{mode}" for tensor in ("q", "newQ", "k", "v", "newK", "newV") for mode in "bsh"]
APPENDED = ["B", "Sq", "Sk", "H", "Hk", "D", "R", "S"]
WRITTEN = ["q", "newQ", "k", "v", "newK", "newV", "C", "T", "lengths"]


def arguments(pointers, extents, strides):
    return ([["pointer", name] for name in pointers] + [["u32", name] for name in extents]
            + [["s64", name] for name in strides])


def case(given, axes, workspace=(), **others):
    launch = {"kernel": 0, "grid": ["B", 1, 1], "arguments": given}
    return {"axes": axes, "choice": 0, "launches": [{"workspace": list(workspace), "launches": [launch]}], **others}


def data(folder):
    """A package with one kernel for each case."""
    dim = ["dim", "D", [64, 128]]
    derived = [["each", ["upto", "asked", 0, 4, ["ceil", "Sk", "asked"]]], ["splits", ["ceil", "Sk", "each"]]]
    decode, extend, append = {}, {}, {}
    for kind in ("all", "causal", "window", "window-softcap"):
        for suffix, table, more in (("", ["padding"], []), ("-pages", ["table"], PAGES)):
            few = arguments(BUFFERS + table, EXTENTS + more, STRIDES)
            decode[f"bf16-{kind}{suffix}"] = case(few, [dim, ["queries", "Sq", [64]]], [["partialO", ["*", "Sk", 4]]],
                                                  derived=derived)
            if kind == "causal":
                decode[f"bf16-causal{suffix}-by4"] = case(few, [["dim", "D", [128]], ["queries", "Sq", [16]]],
                                                          [["partialO", ["*", "Sk", 4]]], derived=derived)
            many = arguments(BUFFERS[:-1] + table, EXTENTS[:9] + more, STRIDES)
            extend[f"bf16-{kind}{suffix}"] = case(many, [dim])
    for kind in ("", "-half", "-neighbours"):
        for suffix, table, more in (("", [], []), ("-pages", ["table"], PAGES)):
            turned = [["turned", "R", [32, 64]]] if kind else []
            append[f"bf16{kind}{suffix}"] = case(arguments(WRITTEN + table, APPENDED + more, NEW), [dim] + turned)
    merge = case(arguments(["p", "l", "o", "lse"], ["N", "B", "Sq", "H", "D"], ["p_n", "p_b", "l_n", "l_h"]), [dim])
    (folder / "sm90.json").write_text(json.dumps({"attention_decode": decode, "attention_extend": extend,
                                                  "append_cache": append, "merge_states": {"bf16": merge}}))
    (folder / "sm80.json").write_text("{}")
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    data(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def launched(driver, place, pointers, extents, strides):
    """A launch's arguments by name; of pointers too."""
    kinds = arguments(pointers, extents, strides)
    values = {(kind, name): number(at, kind) for (kind, name), at in zip(kinds, driver.launched[place][5], strict=True)}
    return {name: value for (kind, name), value in values.items() if kind != "pointer"}, {
        name: value for (kind, name), value in values.items() if kind == "pointer"}


def decoded(driver, place=-1, pages=False):
    return launched(driver, place, BUFFERS + (["table"] if pages else ["padding"]), EXTENTS + PAGES * pages, STRIDES)


def appended(driver, place=0, pages=False):
    return launched(driver, place, WRITTEN + ["table"] * pages, APPENDED + PAGES * pages, NEW)


def cache(*shape):
    return Tensor(*shape), Tensor(*shape)


def integers(*shape):
    return Tensor(*shape, dtype="int32")


def with_kvcache(*arguments, **options):
    from tilewright import flash_attn_with_kvcache
    return flash_attn_with_kvcache(*arguments, **options)


def test_one_query_of_heads_that_share_keys_is_several_queries_of_one(driver):
    q, (k, v), lengths = Tensor(2, 1, 32, 128), cache(2, 512, 8, 128), integers(2)
    out, lse = with_kvcache(q, k, v, cache_seqlens=lengths, causal=True, return_softmax_lse=True)
    assert (out.shape, lse.shape) == ((2, 1, 32, 128), (2, 32, 1))
    numbers, addresses = decoded(driver)
    assert (numbers["Sq"], numbers["H"], numbers["Hk"], numbers["Sk"]) == (4, 8, 8, 512)
    assert (numbers["q_b"], numbers["q_s"], numbers["q_h"]) == (4096, 128, 512)
    assert (numbers["lse_b"], numbers["lse_s"], numbers["lse_h"]) == (32, 1, 4)
    assert (numbers["asked"], numbers["each"], numbers["splits"]) == (0, 4, 128)
    assert addresses["lengths"] == lengths.data_ptr() and addresses["q"] == q.data_ptr()
    assert addresses["padding"] > 1 << 40 and addresses["partialO"] > 0


def test_lengths_are_never_read_by_the_host(driver):
    q, (k, v) = Tensor(2, 3, 8, 64), cache(2, 64, 8, 64)
    for lengths in (integers(2), integers(2), 7, None):
        with_kvcache(q, k, v, cache_seqlens=lengths, causal=True)
    assert len(driver.launched) == 4
    numbers, _ = decoded(driver)
    assert (numbers["Sq"], numbers["H"], numbers["q_s"], numbers["q_h"]) == (3, 8, 512, 64)


def test_splits_are_those_that_are_asked_for(driver):
    with_kvcache(Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64), num_splits=3)
    assert [decoded(driver)[0][name] for name in ("asked", "each", "splits")] == [3, 22, 3]


def test_many_queries_have_kernels_of_their_own(driver):
    with_kvcache(Tensor(1, 65, 8, 64), *cache(1, 640, 8, 64), cache_seqlens=integers(1), causal=True)
    numbers, _ = launched(driver, -1, BUFFERS[:-1] + ["padding"], EXTENTS[:9], STRIDES)
    assert numbers["Sq"] == 65


def test_pages_and_entries_come_from_tables(driver):
    q, table = Tensor(2, 1, 8, 64), integers(2, 5)
    with_kvcache(q, *cache(20, 16, 8, 64), cache_seqlens=integers(2), block_table=table)
    numbers, addresses = decoded(driver, pages=True)
    assert [numbers[name] for name in ("Sk", "T", "P", "rows")] == [80, 5, 20, 16]
    assert addresses["table"] == table.data_ptr()
    with_kvcache(q, *cache(7, 33, 8, 64), cache_seqlens=integers(2), cache_batch_idx=integers(2))
    numbers, _ = decoded(driver, pages=True)
    assert [numbers[name] for name in ("Sk", "T", "P", "rows")] == [33, 1, 7, 33]


@pytest.mark.parametrize("options, kind, left, right", [
    ({}, "all", 0, 0), ({"causal": True}, "causal", 0, 0), ({"window_size": (5, 0)}, "window", 5, 0),
    ({"window_size": (-1, 3)}, "window", 1 << 29, 3), ({"causal": True, "window_size": (7, 9)}, "window", 7, 0),
    ({"softcap": 30.0}, "window-softcap", 1 << 29, 1 << 29),
    ({"softcap": 30.0, "causal": True}, "window-softcap", 1 << 29, 0)])
def test_masks_are_kinds_and_bounds(driver, monkeypatch, options, kind, left, right):
    asked, case_of = [], _dispatch.Data.case
    monkeypatch.setattr(_dispatch.Data, "case", lambda self, *key: asked.append(key) or case_of(self, *key))
    with_kvcache(Tensor(1, 2, 8, 64), *cache(1, 64, 8, 64), **options)
    assert asked == [("attention_decode", f"bf16-{kind}")]
    numbers, _ = decoded(driver)
    assert (numbers["L"], numbers["R"]) == (left, right)


@pytest.mark.parametrize("queries, heads, dim, key", [
    (16, 8, 128, "-by4"), (17, 8, 128, ""), (16, 4, 128, ""), (16, 8, 64, "")])
def test_heads_share_tiles_where_there_is_a_kernel(driver, monkeypatch, queries, heads, dim, key):
    asked, choose = [], _dispatch.Case.choose
    monkeypatch.setattr(_dispatch.Case, "choose", lambda self, n: asked.append(self) or choose(self, n))
    with_kvcache(Tensor(1, queries, heads, dim), *cache(1, 64, 2, dim), causal=True)
    assert asked == [_runtime.device(0).data.case("attention_decode", f"bf16-causal{key}")]
    assert decoded(driver)[0]["H"] == heads


def test_a_window_of_one_query_ends_with_it(driver):
    with_kvcache(Tensor(1, 1, 8, 64), *cache(1, 64, 2, 64), window_size=(5, 3))
    numbers, _ = decoded(driver)
    assert (numbers["L"], numbers["R"], numbers["Sq"], numbers["H"]) == (5, 0, 1, 8)


def test_new_tokens_are_appended_first(driver):
    q, (k_cache, v_cache), lengths = Tensor(2, 3, 8, 64), cache(2, 64, 2, 64), integers(2)
    k, v = cache(2, 3, 2, 64)
    with_kvcache(q, k_cache, v_cache, k, v, cache_seqlens=lengths, causal=True)
    assert len(driver.launched) == 2
    numbers, addresses = appended(driver)
    assert [numbers[name] for name in ("B", "Sq", "Sk", "H", "Hk", "R", "S")] == [2, 3, 64, 0, 2, 0, 0]
    assert (addresses["newK"], addresses["k"]) == (k.data_ptr(), k_cache.data_ptr())
    assert addresses["lengths"] not in (0, lengths.data_ptr())
    assert decoded(driver)[1]["q"] == q.data_ptr()


def test_rotary_tables_turn_queries_too(driver):
    q, (k_cache, v_cache), (k, v) = Tensor(2, 3, 8, 64), cache(9, 16, 2, 64), cache(2, 3, 2, 64)
    cos, sin = (Tensor(70, 16, dtype="float32") for _ in range(2))
    with_kvcache(q, k_cache, v_cache, k, v, cos, sin, integers(2), block_table=integers(2, 4), causal=True)
    assert len(driver.launched) == 2
    numbers, addresses = appended(driver, pages=True)
    assert [numbers[name] for name in ("Sq", "H", "Hk", "R", "S", "T")] == [3, 8, 2, 32, 70, 4]
    assert addresses["C"] == cos.data_ptr() and addresses["newQ"] == q.data_ptr()
    assert decoded(driver, pages=True)[1]["q"] == addresses["q"] not in (0, q.data_ptr())


def test_queries_of_other_positions_than_keys_are_turned_apart(driver):
    (k_cache, v_cache), (k, v) = cache(2, 64, 2, 64), cache(2, 5, 2, 64)
    cos, sin = (Tensor(64, 32) for _ in range(2))
    with_kvcache(Tensor(2, 3, 8, 64), k_cache, v_cache, k, v, cos, sin, integers(2), causal=True)
    assert [[appended(driver, i)[0][name] for name in ("Sq", "H", "Hk")] for i in (0, 1)] == [[5, 0, 2], [3, 8, 0]]
    with_kvcache(Tensor(2, 3, 8, 64), k_cache, v_cache, k, v, cos, sin, integers(2))
    assert [[appended(driver, i)[0][name] for name in ("Sq", "H", "Hk")] for i in (3, 4)] == [[5, 0, 2], [1, 24, 0]]


def test_tokens_with_gaps_are_copied(driver):
    k, v = (Tensor(2, 3, 2, 64, strides=(999, 132, 66, 1)) for _ in range(2))
    with_kvcache(Tensor(2, 1, 8, 64), *cache(2, 64, 2, 64), k, v, cache_seqlens=integers(2))
    numbers, addresses = appended(driver)
    assert (numbers["newK_b"], numbers["newK_s"]) == (384, 128) and addresses["newK"] not in (0, k.data_ptr())


def test_plans_are_kept(driver):
    given = Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64)
    for lengths in (integers(1), integers(1)):
        with_kvcache(*given, cache_seqlens=lengths)
    assert len(driver.loaded) == 1
    assert [decoded(driver, i)[1]["lengths"] for i in (0, 1)][1] == lengths.data_ptr()


@pytest.mark.parametrize("options, message", [
    ({"alibi_slopes": 1}, "alibi_slopes are given: needed is None"),
    ({"k": 1}, "one of k and v is given: needed are both, or none"),
    ({"rotary_cos": 1}, "one of rotary_cos and rotary_sin is given"),
    ({"rotary_cos": 1, "rotary_sin": 1}, "rotary_cos is given without k and v"),
    ({"block_table": 1, "cache_batch_idx": 1}, "block_table and cache_batch_idx are given: needed is one of them"),
    ({"block_table": 1, "cache_leftpad": 1}, "cache_leftpad is given with block_table"),
    ({"k": 1, "v": 1}, "k and v are given without cache_seqlens"),
    ({"num_splits": -1}, "splits are -1: needed are 1 to 1024"),
    ({"softcap": -1.0}, "softcap is -1.0"), ({"softmax_scale": 0.0}, "scale is 0.0: needed is a positive number")])
def test_what_it_does_not_do_is_refused(driver, options, message):
    with pytest.raises((NotImplementedError, ValueError), match=message):
        with_kvcache(Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64), **options)


@pytest.mark.parametrize("q, caches, options, message", [
    ((1, 1, 8, 72), (1, 64, 8, 72), {}, "a cache with head dimension 72: needed is one of 64, 128"),
    ((1, 1, 8, 64), (2, 64, 8, 64), {}, "k_cache has 2 entries for a batch of 1: needed is cache_batch_idx"),
    ((1, 1, 8, 64), (1, 64, 3, 64), {}, "8 heads do not share 3 heads of keys"),
    ((1, 1, 8, 64), (4, 24, 8, 64), {"block_table": (1, 2)}, "pages of 24 rows: needed is a multiple of 16"),
    ((2, 1, 8, 64), (4, 32, 8, 64), {"block_table": (1, 2)}, "block_table is torch.int32 of shape"),
    ((2, 1, 8, 64), (2, 64, 8, 64), {"cache_seqlens": (3,)}, "cache_seqlens is torch.int32 of shape")])
def test_tensors_that_do_not_fit_are_refused(driver, q, caches, options, message):
    with pytest.raises((NotImplementedError, ValueError), match=message):
        with_kvcache(Tensor(*q), *cache(*caches), **{name: integers(*shape) for name, shape in options.items()})


def test_new_tokens_that_do_not_fit_are_refused(driver):
    given = Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64)
    for k, message in ((Tensor(1, 1, 8, 128), "k has head dimension 128, but k_cache has 64"),
                       (Tensor(1, 1, 4, 64), "8 heads|4 heads do not share 8 heads"),
                       (Tensor(2, 1, 8, 64), "k_cache has 1 entries for a batch of 2"),
                       (Tensor(1, 1, 8, 64, dtype="float16"), "is torch.bfloat16: needed is|is torch.float16: needed")):
        with pytest.raises((ValueError, TypeError), match=message):
            with_kvcache(*given, k, Tensor(*k.shape, dtype=k.dtype), cache_seqlens=integers(k.shape[0]))


def test_a_cache_with_gaps_between_entries_is_refused(driver):
    k, v = (Tensor(2, 64, 8, 64, strides=(128 * 512, 512, 64, 1)) for _ in range(2))
    with pytest.raises(ValueError, match="entries one after the other, each 64 rows behind the last"):
        with_kvcache(Tensor(2, 1, 8, 64), k, v)


def test_tables_shorter_than_the_cache_are_refused(driver):
    cos, sin = (Tensor(63, 32) for _ in range(2))
    with pytest.raises(ValueError, match="rotary_cos has 63 positions: needed are those of the cache's 64 rows"):
        with_kvcache(Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64), *cache(1, 1, 8, 64), cos, sin, integers(1))
    for pairs, message in ((12, "24: needed is a multiple of 16 up to 64"), (8, "16: needed is one of 32, 64")):
        with pytest.raises(NotImplementedError, match="rotary_dim is " + message):
            with_kvcache(Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64), *cache(1, 1, 8, 64), *cache(64, pairs), integers(1))


def test_more_tokens_than_rows_are_refused(driver):
    with pytest.raises(ValueError, match="cache_seqlens is 63 and k has 2 tokens, but the cache has 64 rows"):
        with_kvcache(Tensor(1, 2, 8, 64), *cache(1, 64, 8, 64), *cache(1, 2, 8, 64), cache_seqlens=63)


def test_other_gpus_are_told_what_computes_attention_there(driver):
    _runtime.use(StandIn(80))
    with pytest.raises(NotImplementedError, match="needs a GPU of compute capability 9.0, and these kernels are for "
                       "8.0: flash_attn_func computes attention of whole tensors there"):
        with_kvcache(Tensor(1, 1, 8, 64), *cache(1, 64, 8, 64))


def test_no_queries_and_no_rows_launch_nothing(driver):
    assert with_kvcache(Tensor(0, 1, 8, 64), *cache(0, 64, 8, 64)).shape == (0, 1, 8, 64)
    out, lse = with_kvcache(Tensor(1, 2, 8, 64), *cache(1, 0, 8, 64), return_softmax_lse=True)
    assert out.filled == 0 and lse.filled == float("-inf") and not driver.launched


def test_states_are_merged(driver):
    from tilewright import merge_states

    out, lse = merge_states(Tensor(3, 2, 5, 8, 64), Tensor(3, 2, 8, 5, dtype="float32"))
    assert (out.shape, lse.shape) == ((2, 5, 8, 64), (2, 8, 5))
    numbers, _ = launched(driver, -1, ["p", "l", "o", "lse"], ["N", "B", "Sq", "H", "D"], ["p_n", "p_b", "l_n", "l_h"])
    assert list(numbers.values()) == [3, 2, 5, 8, 64, 5120, 2560, 80, 5]
    with pytest.raises(ValueError, match="logarithms are torch.float32 of shape"):
        merge_states(Tensor(3, 2, 5, 8, 64), Tensor(3, 2, 5, 8, dtype="float32"))
