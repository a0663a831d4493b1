"""The operators' way to a launch: what they refuse, copy, fill up and remember; no GPU and no PyTorch."""

import json
import math

import pytest
from plain_torch import Tensor
from standin import kernel, number, standing_in


STRIDES = ["b", "s", "h"]


def arguments(tensors, *extents):
    given = [["pointer", name] for name in tensors]
    for tensor in tensors:
        if tensor in ("q", "k", "v", "o", "do", "dq", "dk", "dv", "lse"):
            given += [["s64", f"{tensor}_{mode}"] for mode in STRIDES]
    return given + [["u32", extent] for extent in extents] + [["f32", "scale"]]


def data(folder):
    """A package with one kernel for each pass."""
    axes = [["dim", "D", [64, 128]], ["queries", "Sq"]]

    def case(tensors, *extents, workspace=()):
        launch = {"kernel": 0, "grid": ["B", 1, 1], "arguments": arguments(tensors, *extents)}
        return {"axes": axes, "choice": 0, "launches": [{"workspace": list(workspace), "launches": [launch]}]}

    tensors = ("q", "k", "v", "o", "lse")
    dense = ("B", "Sq", "Sk", "H", "Hk", "D", "L", "R")
    forward = {f"bf16-{mask}": case((*tensors, "tiles"), *dense) for mask in ("all", "causal", "window")}
    forward["bf16-causal-packed"] = case((*tensors, "cuQ", "cuK"), *dense, "N", "M")
    forward["bf16-all-v128"] = case((*tensors, "tiles"), *dense, "Dv")
    forward["bf16-all-v128"]["axes"] = [["dim", "D", [192]], ["queries", "Sq"]]
    for key in ("bf16-causal-alibi", "bf16-causal-alibi-packed"):
        forward[key] = case((*tensors, "slopes"), "slopes", "slopes_b")
        forward[key]["launches"][0]["launches"][0]["arguments"].append(["f32", "alibiShift"])
    gradients = (*tensors, "do", "dq", "dk", "dv", "w")
    backward = {key: case(gradients, *dense, workspace=[["w", ["*", "Sq", 4]]])
                for key in ("bf16-causal", "bf16-causal-packed")}
    launch = {"kernel": 0, "grid": ["M", 1, 1], "arguments": ROWS}
    rows = {"axes": [["columns", "N", [64, 128]]], "choice": 0,
            "launches": [{"workspace": [], "launches": [launch]}]}
    rope = {"axes": [["dim", "D", [64, 128]], ["heads", "H"]], "choice": 0,
            "launches": [{"workspace": [], "launches": [{"kernel": 0, "grid": ["S", 1, 1], "arguments": ROPE}]}]}
    embedding = {"axes": [["columns", "N", [64, 128]]], "choice": 0,
                 "launches": [{"workspace": [], "launches": [{**launch, "arguments": EMBEDDING}]}]}
    (folder / "sm90.json").write_text(json.dumps({"attention_forward": forward,
                                                  "attention_backward": backward,
                                                  "layer_norm": {"bf16": rows}, "rope": {"bf16": rope},
                                                  "embedding": {"bf16": embedding}}))
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    data(tmp_path)
    with standing_in(monkeypatch, tmp_path) as stand_in:
        yield stand_in


def qkv(*shape, **options):
    return [Tensor(*shape, **options) for _ in range(3)]


def launched(driver, names, *extents):
    """The last launch's arguments by name."""
    kinds = [(kind, name) for kind, name in arguments(names, *extents)]
    return {name: number(place, kind) for (kind, name), place in zip(kinds, driver.launched[-1][5], strict=True)}


DENSE = ("B", "Sq", "Sk", "H", "Hk", "D", "L", "R")
FORWARD = (("q", "k", "v", "o", "lse", "tiles"), *DENSE)


def test_a_launch_has_the_tensors_addresses_strides_and_extents(driver):
    from tilewright import flash_attn_func

    q, k, v = Tensor(2, 30, 8, 128), Tensor(2, 50, 2, 128), Tensor(2, 50, 2, 128)
    out, lse, none = flash_attn_func(q, k, v, causal=True, softmax_scale=0.5, return_attn_probs=True)
    given = launched(driver, *FORWARD)
    assert none is None and (out.shape, lse.shape) == ((2, 30, 8, 128), (2, 8, 30))
    assert [given[name] for name in ("q", "k", "v", "o", "lse")] == [x.data_ptr() for x in (q, k, v, out, lse)]
    assert [given[name] for name in DENSE] == [2, 30, 50, 8, 2, 128, 0, 0]
    assert [given[f"k_{mode}"] for mode in "bsh"] == [50 * 256, 256, 128]
    assert [given[f"lse_{mode}"] for mode in "bsh"] == [240, 1, 30]
    assert (given["scale"], driver.launched[-1][4], driver.loaded) == (0.5, 77, [(b"cubin", "k", 0)])


def test_a_second_call_only_changes_addresses(driver):
    from tilewright import flash_attn_func

    for _ in range(2):
        q, k, v = qkv(1, 16, 4, 64)
        out = flash_attn_func(q, k, v)
        assert launched(driver, *FORWARD)["q"] == q.data_ptr() and launched(driver, *FORWARD)["o"] == out.data_ptr()
    assert driver.launched[0][5] == driver.launched[1][5]


@pytest.mark.parametrize("causal,window,bounds", [(False, (5, 2), (5, 2)), (True, (5, -1), (5, 0)),
                                                  (False, (-1, 7), (1 << 29, 7)), (False, (3, -1), (3, 1 << 29))])
def test_windows_have_two_bounds(driver, causal, window, bounds):
    from tilewright import flash_attn_func

    flash_attn_func(*qkv(1, 16, 4, 64), causal=causal, window_size=window)
    given = launched(driver, *FORWARD)
    assert (given["L"], given["R"]) == bounds


def test_head_dimensions_are_filled_up(driver):
    from tilewright import flash_attn_func

    q, k, v = qkv(1, 16, 4, 72)
    out = flash_attn_func(q, k, v, causal=True)
    given = launched(driver, *FORWARD)
    assert given["D"] == 128 and given["q"] != q.data_ptr() and out.shape == (1, 16, 4, 72)
    assert abs(given["scale"] - 72 ** -0.5) < 1e-6
    with pytest.raises(NotImplementedError, match="head dimension 136: needed is at most 128"):
        flash_attn_func(*qkv(1, 16, 4, 136), causal=True)


def test_head_dimensions_of_keys_and_values_may_differ(driver):
    from tilewright import attention

    q, k, v = Tensor(1, 16, 4, 96), Tensor(1, 16, 4, 96), Tensor(1, 16, 4, 64)
    out, _ = attention(q, k, v, causal=True)
    given = launched(driver, *FORWARD)
    assert out.shape == (1, 16, 4, 64) and given["D"] == 128 and given["v"] != v.data_ptr()
    assert abs(given["scale"] - 96 ** -0.5) < 1e-6


def test_kernels_for_fewer_columns_of_values_are_taken_where_they_fit(driver):
    from tilewright import attention

    for value_dim in (128, 100):
        v = Tensor(1, 16, 4, value_dim)
        out, _ = attention(Tensor(1, 16, 4, 192), Tensor(1, 16, 4, 192), v)
        given = launched(driver, *FORWARD, "Dv")
        assert (out.shape[-1], given["D"], given["Dv"], given["o_h"]) == (value_dim, 192, 128, 128)
        assert (given["v"] == v.data_ptr()) == (value_dim == 128)
    with pytest.raises(NotImplementedError, match="head dimension 200: needed is at most 128"):
        attention(Tensor(1, 16, 4, 200), Tensor(1, 16, 4, 200), Tensor(1, 16, 4, 128))


@pytest.mark.parametrize("shape,strides,per_batch,copied", [((8,), None, 0, False), ((2, 8), None, 8, False),
                                                            ((2, 8), (1, 2), 8, True)])
def test_alibis_slopes_are_of_heads_or_of_heads_in_each_entry(driver, shape, strides, per_batch, copied):
    from tilewright import flash_attn_func

    slopes = Tensor(*shape, dtype="float32", strides=strides)
    flash_attn_func(Tensor(2, 30, 8, 64), Tensor(2, 50, 8, 64), Tensor(2, 50, 8, 64), causal=True, alibi_slopes=slopes)
    kinds = [*arguments(("q", "k", "v", "o", "lse", "slopes"), "slopes_n", "slopes_b"), ["f32", "shift"]]
    given = {name: number(place, kind) for (kind, name), place in zip(kinds, driver.launched[-1][5], strict=True)}
    assert (given["slopes"] != slopes.data_ptr()) == copied and given["shift"] == 20
    assert (given["slopes_n"], given["slopes_b"]) == (math.prod(shape), per_batch)


def test_slopes_of_another_shape_are_refused(driver):
    from tilewright import flash_attn_func, flash_attn_varlen_func

    for slopes in (Tensor(4, dtype="float32"), Tensor(3, 8, dtype="float32"), Tensor(8)):
        with pytest.raises(ValueError, match=r"needed are torch.float32 of \(8,\) or \(2, 8\)"):
            flash_attn_func(*qkv(2, 30, 8, 64), causal=True, alibi_slopes=slopes)
    lengths = Tensor(4, dtype="int32")
    with pytest.raises(ValueError, match=r"needed are torch.float32 of \(8,\) or \(3, 8\)"):
        flash_attn_varlen_func(*qkv(100, 8, 64), lengths, lengths, 60, 60, causal=True,
                               alibi_slopes=Tensor(2, 8, dtype="float32"))
    with pytest.raises(NotImplementedError, match="softcap is 3.0 and alibi_slopes are given: needed is one of them"):
        flash_attn_func(*qkv(2, 30, 8, 64), causal=True, alibi_slopes=Tensor(8, dtype="float32"), softcap=3.0)


def test_what_is_packed_together_is_read_where_it_lies(driver):
    from tilewright import flash_attn_qkvpacked_func, flash_attn_varlen_qkvpacked_func

    qkv = Tensor(2, 30, 3, 8, 64)
    flash_attn_qkvpacked_func(qkv, causal=True)
    given = launched(driver, *FORWARD)
    assert [given[name] - qkv.data_ptr() for name in "qkv"] == [0, 1024, 2048] and given["k_s"] == 1536
    qkv, lengths = Tensor(100, 3, 8, 64), Tensor(4, dtype="int32")
    flash_attn_varlen_qkvpacked_func(qkv, lengths, 60, causal=True)
    given = launched(driver, ("q", "k", "v", "o", "lse", "cuQ", "cuK"), *DENSE, "N", "M")
    assert [given[name] - qkv.data_ptr() for name in "qkv"] == [0, 1024, 2048] and given["cuK"] == lengths.data_ptr()


def test_what_copies_cannot_reach_is_copied(driver):
    from tilewright import flash_attn_func

    for q in (Tensor(1, 16, 4, 64, address=(1 << 29) + 2), Tensor(1, 16, 4, 64, strides=(5000, 260, 65, 1)),
              Tensor(1, 16, 4, 64, strides=(4096, 256, 1, 4))):
        flash_attn_func(q, *qkv(1, 16, 4, 64)[1:], causal=True)
        given = launched(driver, *FORWARD)
        assert given["q"] != q.data_ptr() and given["q_s"] == 256
    q = Tensor(1, 16, 4, 64, strides=(3, 768, 192, 1))  # nobody walks the batch
    flash_attn_func(q, *qkv(1, 16, 4, 64)[1:], causal=True)
    assert launched(driver, *FORWARD)["q"] == q.data_ptr()


def test_gradients_are_of_the_tensors_that_were_given(driver):
    from tilewright import flash_attn_func

    q, k, v = qkv(2, 30, 8, 64, requires_grad=True)
    out = flash_attn_func(q, k, v, causal=True)
    gradient = Tensor(2, 30, 8, 64, strides=(0, 0, 0, 0))
    dq, dk, dv, *rest = out.backward(gradient)
    given = launched(driver, ("q", "k", "v", "o", "lse", "do", "dq", "dk", "dv", "w"), *DENSE)
    assert rest == [None] * 4
    assert [given[n] for n in ("q", "o", "dq", "dk", "dv")] == [x.data_ptr() for x in (q, out, dq, dk, dv)]
    assert given["do"] != gradient.data_ptr() and given["do_s"] == 512 and given["w"]


def test_packed_sequences_are_counted(driver):
    from tilewright import flash_attn_varlen_func

    q, k, v = qkv(100, 8, 64)
    lengths = Tensor(4, dtype="int32")
    out, lse, _ = flash_attn_varlen_func(q, k, v, lengths, lengths, 60, 60, causal=True, return_attn_probs=True)
    given = launched(driver, ("q", "k", "v", "o", "lse", "cuQ", "cuK"), *DENSE, "N", "M")
    assert (given["N"], given["M"], given["B"], given["Sq"], given["cuQ"]) == (3, 60, 1, 100, lengths.data_ptr())
    assert lse.shape == (8, 100) and given["lse_h"] == 100
    with pytest.raises(TypeError, match="cu_seqlens_q is torch.float32"):
        flash_attn_varlen_func(q, k, v, Tensor(4, dtype="float32"), lengths, 60, 60, causal=True)


def test_operators_launch_what_functions_do(driver):
    import torch

    from tilewright import flash_attn_func, flash_attn_varlen_func

    def launches():
        values = [(x[:5], [number(place, "u32") for place in x[5][-9:]]) for x in driver.launched]
        driver.launched.clear()
        return values

    q, k, v = qkv(2, 30, 8, 64, requires_grad=True)
    operators, options = torch.ops.tilewright, (None, 0.125, True, -1, -1, False, 0.0)
    out, lse, _ = flash_attn_func(q, k, v, causal=True, return_attn_probs=True)
    out.backward(out)
    wanted = launches()
    operators.attention_backward(out, q, k, v, *operators.attention_forward(q, k, v, *options), *options)
    assert launches() == wanted and len(wanted) == 2
    lengths = Tensor(4, dtype="int32")
    q, k, v = qkv(100, 8, 64, requires_grad=True)
    out = flash_attn_varlen_func(q, k, v, lengths, lengths, 60, 60, causal=True)
    out.backward(out)
    wanted = launches()
    packed = (lengths, lengths, 60, 60, *options)
    both = operators.attention_varlen_forward(q, k, v, *packed)
    operators.attention_varlen_backward(out, q, k, v, *both, *packed)
    assert launches() == wanted and len(wanted) == 2


def test_options_are_numbers(driver):
    from tilewright import flash_attn_func

    given = qkv(1, 16, 4, 64)
    flash_attn_func(*given, window_size=[3, 4], softmax_scale=1, causal=1)
    assert launched(driver, *FORWARD)["scale"] == 1
    with pytest.raises(TypeError, match="window is .*needed are two whole numbers"):
        flash_attn_func(*given, window_size=(3, 4.5))


def test_sdpa_has_heads_first(driver):
    from tilewright import sdpa

    q, k, v = qkv(2, 8, 30, 64)
    assert sdpa(q, k, v, is_causal=True).shape == (2, 8, 30, 64)
    given = launched(driver, *FORWARD)
    assert (given["Sq"], given["H"], given["q_s"], given["q_h"]) == (30, 8, 64, 1920)
    with pytest.raises(NotImplementedError, match="attn_mask is given"):
        sdpa(q, k, v, attn_mask=q)


@pytest.mark.parametrize("q,k", [((2, 0, 8, 64), (2, 5, 8, 64)), ((2, 5, 8, 64), (2, 0, 8, 64)),
                                 ((0, 5, 8, 64), (0, 5, 8, 64)), ((2, 5, 0, 64), (2, 5, 0, 64)),
                                 ((2, 5, 0, 64), (2, 5, 4, 64)), ((2, 5, 8, 72), (2, 0, 2, 72))])
def test_nothing_is_launched_for_nothing(driver, q, k):
    from tilewright import flash_attn_func

    tensors = [Tensor(*shape, requires_grad=True) for shape in (q, k, k)]
    o, lse, _ = flash_attn_func(*tensors, causal=True, return_attn_probs=True)
    assert (o.shape, lse.shape, o.filled, lse.filled) == (q, (q[0], q[2], q[1]), 0, -math.inf)
    gradients = o.backward(Tensor(*q, strides=(0, 0, 0, 0)))[:3]
    assert [(x.shape, x.filled) for x in gradients] == [(shape, 0) for shape in (q, k, k)]
    assert not driver.launched


@pytest.mark.parametrize("tokens,keys,sequences,longest", [(0, 0, 3, 0), (5, 0, 3, 5), (0, 5, 3, 0), (5, 5, 3, 0),
                                                           (0, 0, 0, 0)])
def test_nothing_is_launched_for_packed_sequences_of_nothing(driver, tokens, keys, sequences, longest):
    from tilewright import flash_attn_varlen_func

    q, k, v = (Tensor(x, 8, 64, requires_grad=True) for x in (tokens, keys, keys))
    lengths = Tensor(sequences + 1, dtype="int32")
    o = flash_attn_varlen_func(q, k, v, lengths, lengths, longest, keys, causal=True)
    gradients = o.backward(Tensor(tokens, 8, 64))[:3]
    assert (o.shape, o.filled, [x.filled for x in gradients]) == (q.shape, 0, [0, 0, 0])
    assert not driver.launched


def test_one_empty_sequence_is_the_kernels_own_matter(driver):
    from tilewright import flash_attn_varlen_func

    lengths = Tensor(4, dtype="int32")
    flash_attn_varlen_func(*qkv(100, 8, 64), lengths, lengths, 60, 0, causal=True)
    assert len(driver.launched) == 1


@pytest.mark.parametrize("change", [{"device": "cuda:1"}, {"device": "cpu"}, {"dtype": "float16"}])
def test_a_known_shape_is_checked_again(driver, change):
    from tilewright import flash_attn_func, flash_attn_varlen_func

    for place in (1, 2):
        given = qkv(1, 16, 4, 64)
        flash_attn_func(*given, causal=True)
        given[place] = Tensor(1, 16, 4, 64, **change)
        with pytest.raises((TypeError, ValueError), match=f"{'qkv'[place]} is "):
            flash_attn_func(*given, causal=True)
    packed = [*qkv(100, 8, 64), Tensor(4, dtype="int32"), Tensor(4, dtype="int32")]
    flash_attn_varlen_func(*packed, 60, 60, causal=True)
    packed[4] = Tensor(4, **{"dtype": "int32", **change})
    with pytest.raises((TypeError, ValueError), match="cu_seqlens_k is "):
        flash_attn_varlen_func(*packed, 60, 60, causal=True)
    packed[4] = Tensor(4, dtype="int32", strides=(2,))
    with pytest.raises(TypeError, match="cu_seqlens_k is .*contiguous"):
        flash_attn_varlen_func(*packed, 60, 60, causal=True)


ROWS = [["pointer", "X"], ["pointer", "W"], ["pointer", "B"], ["pointer", "Y"], ["u32", "M"], ["s64", "X_s"],
        ["f32", "epsilon"]]


ROPE = [["pointer", "X"], ["pointer", "C"], ["pointer", "T"], ["pointer", "Y"], ["u32", "S"], ["u32", "H"],
        *[["s64", name] for name in ("X_s", "X_h", "Y_s", "Y_h", "C_s", "T_s")]]
EMBEDDING = [["pointer", "I"], ["pointer", "W"], ["pointer", "Y"], ["u32", "M"], ["u32", "V"], ["s64", "I_s"],
             ["s64", "W_s"]]


def row(driver, arguments=ROWS):
    """The arguments of the last launch on rows, by name."""
    return {name: number(place, kind) for (kind, name), place in zip(arguments, driver.launched[-1][5], strict=True)}


@pytest.mark.parametrize("shape,strides,copied,stride", [
    ((3, 5, 64), None, False, 64), ((15, 64), (128, 1), False, 128), ((3, 5, 64), (800, 160, 1), False, 160),
    ((3, 5, 64), (960, 160, 1), True, 64), ((15, 64), (68, 1), True, 64), ((15, 64), (1, 15), True, 64),
    ((1, 64), (3, 1), False, 64), ((64,), None, False, 64)])
def test_rows_are_walked_by_one_stride_or_copied(driver, shape, strides, copied, stride):
    from tilewright import layer_norm

    x, weight = Tensor(*shape, strides=strides), Tensor(64)
    y = layer_norm(x, weight, eps=0.5)
    given = row(driver)
    assert (y.shape, given["Y"], given["W"], given["epsilon"]) == (shape, y.data_ptr(), weight.data_ptr(), 0.5)
    assert (given["X"] != x.data_ptr(), given["X_s"], given["M"]) == (copied, stride, math.prod(shape[:-1]))
    layer_norm(x, Tensor(64, strides=(2,)), Tensor(64))
    assert row(driver)["W"] != weight.data_ptr()


def test_rows_of_nothing_and_rows_without_kernels(driver):
    import torch

    from tilewright import layer_norm

    assert layer_norm(Tensor(0, 64)).shape == (0, 64) and not driver.launched
    torch.ops.tilewright.layer_norm(Tensor(2, 64), None, None, 1e-5)
    assert row(driver)["M"] == 2
    assert layer_norm(Tensor(3, 64, requires_grad=True)).shape == (3, 64) and row(driver)["M"] == 3
    for call, words in [
        (lambda: layer_norm(Tensor(2, 72)), "no layer_norm for rows of 72, only of 64, 128; .*--columns 72"),
        (lambda: layer_norm(Tensor(2, 64), Tensor(72)), r"weight has shape \(72,\): needed is \(64,\)"),
        (lambda: layer_norm(Tensor(2, 64), Tensor(64), Tensor(64, dtype="float32")), "bias is torch.float32, but x"),
        (lambda: layer_norm(Tensor(2, 64, device="cpu")), "x is on cpu: needed is a CUDA device"),
        (lambda: layer_norm(Tensor(2, 64, dtype="int32")), "x is torch.int32: needed is torch.bfloat16"),
    ]:
        with pytest.raises((NotImplementedError, TypeError, ValueError), match=words):
            call()


@pytest.mark.parametrize("shape,strides,table,tokens,launches,x_s,c_s,copied", [
    ((2, 30, 8, 64), None, (30, 32), 60, 1, 512, 32, True),
    ((1, 30, 8, 64), None, (30, 32), 30, 1, 512, 32, False),
    ((1, 30, 8, 64), None, (1, 30, 64), 30, 1, 512, 64, False),
    ((2, 30, 8, 64), None, (2, 30, 64), 60, 1, 512, 64, False),
    ((2, 30, 8, 64), (46080, 1536, 64, 1), (2, 30, 32), 60, 1, 1536, 32, False),
    ((2, 30, 8, 64), (15360, 64, 1920, 1), (30, 32), 30, 2, 64, 32, False),
    ((2, 30, 8, 64), (15360, 64, 1920, 1), (2, 30, 32), 30, 2, 64, 32, False),
    ((5, 1, 8, 64), (512, 3, 64, 1), (1, 64), 5, 1, 512, 0, False),
    ((5, 1, 8, 64), None, (5, 1, 64), 5, 1, 512, 64, False)])
def test_tokens_are_walked_by_one_stride_or_by_entries(driver, shape, strides, table, tokens, launches, x_s, c_s,
                                                       copied):
    from tilewright import rope

    x, cos, sin = Tensor(*shape, strides=strides), *(Tensor(*table, dtype="float32") for _ in range(2))
    y = rope(x, cos, sin)
    given = row(driver, ROPE)
    assert (y.shape, given["S"], given["X_s"], given["C_s"]) == (shape, tokens, x_s, c_s)
    assert len(driver.launched) == launches
    assert (given["H"], given["X_h"], given["Y_s"], given["Y_h"]) == (8, x.stride(2), 512, 64)
    last = launches - 1
    assert (given["X"], given["Y"]) == (x.data_ptr() + last * 2 * x.stride(0), y.data_ptr() + last * 2 * 30 * 512)
    for name, tensor in (("C", cos), ("T", sin)):
        entry = 4 * tensor.stride(0) if len(table) == 3 else 0
        assert (given[name] != tensor.data_ptr() + last * entry) == copied


def test_tables_and_tensors_that_accesses_cannot_reach_are_copied(driver):
    from tilewright import rope

    table = Tensor(30, 32, dtype="float32")
    for other in (Tensor(30, 32), Tensor(30, 64, dtype="float64"), Tensor(30, 32, dtype="float32", strides=(33, 1)),
                  Tensor(30, 32, dtype="float32", address=(1 << 29) + 4)):
        rope(Tensor(1, 30, 8, 64), other, table)
        given = row(driver, ROPE)
        assert given["C"] != other.data_ptr() and (given["C_s"], given["T"]) == (32, table.data_ptr())
    for x in (Tensor(1, 30, 8, 64, strides=(15600, 520, 65, 1)), Tensor(2, 30, 8, 64, strides=(1, 1024, 128, 2)),
              Tensor(1, 30, 8, 64, address=(1 << 29) + 8)):
        rope(x, table, table)
        given = row(driver, ROPE)
        assert given["X"] != x.data_ptr() and (given["X_s"], given["X_h"]) == (512, 64)


def test_gradients_of_rope_turn_back(driver):
    import torch

    from tilewright import rope

    x, cos, sin = Tensor(1, 30, 8, 64, requires_grad=True), *(Tensor(30, 32, dtype="float32") for _ in range(2))
    gradient = Tensor(1, 30, 8, 64)
    dx, *others = rope(x, cos, sin).backward(gradient)
    given = row(driver, ROPE)
    assert others == [None, None] and (given["X"], given["C"], given["Y"]) == (
        gradient.data_ptr(), cos.data_ptr(), dx.data_ptr())
    assert given["T"] != sin.data_ptr() and len(driver.launched) == 2
    torch.ops.tilewright.rope(x, cos, sin)
    assert row(driver, ROPE)["T"] == sin.data_ptr()
    cos.requires_grad = True
    with pytest.raises(NotImplementedError, match="no gradients of cos and sin: needed are tables without"):
        rope(x, cos, sin).backward(gradient)


@pytest.mark.parametrize("shape,strides,dtype,step,copied", [
    ((3, 5), None, "int64", 2, False), ((3, 5), None, "int32", 1, False), ((3, 5), (1, 3), "int64", 2, True),
    ((3, 5), (20, 4), "int64", 8, False), ((), None, "int64", 2, False), ((3, 5), (0, 0), "int32", 0, False)])
def test_the_lower_words_of_ids_are_read_where_they_lie(driver, shape, strides, dtype, step, copied):
    from tilewright import embedding

    ids, table = Tensor(*shape, strides=strides, dtype=dtype), Tensor(1000, 64)
    y = embedding(ids, table)
    given = row(driver, EMBEDDING)
    assert (y.shape, given["Y"], given["W"], given["W_s"]) == ((*shape, 64), y.data_ptr(), table.data_ptr(), 64)
    assert (given["M"], given["V"], given["I_s"]) == (math.prod(shape), 1000, step)
    assert (given["I"] != ids.data_ptr()) == copied
    wide, odd = Tensor(1000, 64, strides=(128, 1)), Tensor(1000, 64, strides=(65, 1))
    embedding(ids, wide)
    assert (row(driver, EMBEDDING)["W"], row(driver, EMBEDDING)["W_s"]) == (wide.data_ptr(), 128)
    embedding(ids, odd)
    assert row(driver, EMBEDDING)["W"] != odd.data_ptr() and row(driver, EMBEDDING)["W_s"] == 64


def test_what_rope_and_embedding_cannot_do_is_refused_with_the_reason(driver):
    from tilewright import embedding, rope

    x, table, ids = Tensor(2, 30, 8, 64), Tensor(30, 32, dtype="float32"), Tensor(5, dtype="int64")
    assert rope(Tensor(2, 0, 8, 64), *[Tensor(0, 32, dtype="float32")] * 2).shape == (2, 0, 8, 64)
    assert embedding(Tensor(0, 3, dtype="int64"), Tensor(9, 64)).shape == (0, 3, 64) and not driver.launched
    for call, words in [
        (lambda: rope(Tensor(2, 30, 8, 72), *[Tensor(30, 36)] * 2), "no rope for head dimension 72, only for 64, 128"),
        (lambda: rope(Tensor(2, 30, 8, 63), table, table), "head dimension 63: needed is an even one"),
        (lambda: rope(Tensor(30, 8, 64), table, table), r"needed is \(batch, sequence, heads, dim\)"),
        (lambda: rope(x, table, Tensor(30, 16)), r"sin has shape \(30, 16\): needed is \(30, 32\) or \(2, 30, 32\)"),
        (lambda: rope(x, Tensor(3, 30, 32), table), r"cos has shape \(3, 30, 32\)"),
        (lambda: rope(x, Tensor(30, 32, dtype="int32"), table), "cos is torch.int32: needed is a type of floating"),
        (lambda: rope(x, table, Tensor(30, 32, device="cpu")), "sin is on cpu, but x is on cuda:0"),
        (lambda: rope(Tensor(2, 30, 8, 64, dtype="int32"), table, table), "x is torch.int32: needed is torch.bfloat16"),
        (lambda: rope(Tensor(2, 30, 8, 64, dtype="float16"), table, table), "no rope for f16 on sm90, only for: bf16"),
        (lambda: embedding(ids, Tensor(9, 72)), "no embedding for rows of 72, only of 64, 128; .*--columns 72"),
        (lambda: embedding(Tensor(5, dtype="float32"), Tensor(9, 64)), "ids are torch.float32: needed is torch.int64"),
        (lambda: embedding(ids, Tensor(2, 9, 64)), r"the table has shape \(2, 9, 64\): needed is \(rows, columns\)"),
        (lambda: embedding(Tensor(5, dtype="int64", device="cpu"), Tensor(9, 64)), "ids are on cpu, but the table is"),
        (lambda: embedding(ids, Tensor(9, 64, dtype="int32")), "the table is torch.int32: needed is torch.bfloat16"),
    ]:
        with pytest.raises((NotImplementedError, TypeError, ValueError), match=words):
            call()


def test_what_cannot_be_done_is_refused_with_the_reason(driver):
    from tilewright import flash_attn_func

    q, k, v = qkv(1, 8, 4, 64)
    for call, words in [
        (lambda: flash_attn_func(q, k, v, dropout_p=0.1), "dropout_p is 0.1: needed is 0"),
        (lambda: flash_attn_func(q, k, v, softcap=30.0), "no attention_forward for bf16-all-softcap on sm90"),
        (lambda: flash_attn_func(q, k, v, softcap=-1.0), "softcap is -1.0: needed is a positive number, or 0"),
        (lambda: flash_attn_func(*qkv(1, 8, 4, 64, dtype="float32")), "q is torch.float32: needed is torch.bfloat16"),
        (lambda: flash_attn_func(q, *qkv(1, 8, 3, 64)[1:]), "4 heads do not share 3 heads of keys"),
        (lambda: flash_attn_func(q, *qkv(1, 8, 4, 64, dtype="float16")[1:]), "k is torch.float16, but q is"),
        (lambda: flash_attn_func(*qkv(8, 4, 64)), r"q has shape \(8, 4, 64\): needed is \(batch, sequence, heads"),
        (lambda: flash_attn_func(*qkv(1, 8, 4, 64, device="cpu")), "q is on cpu: needed is a CUDA device"),
        (lambda: flash_attn_func(*qkv(1, 8, 4, 0)), "q has head dimension 0: needed is at least 1"),
        (lambda: flash_attn_func(*qkv(1, 8, 4, 0), softmax_scale=1), "q has head dimension 0: needed is at least 1"),
        (lambda: flash_attn_func(q, k, v, softmax_scale=-1.0), "scale is -1.0: needed is a positive number"),
        (lambda: flash_attn_func(*qkv(1, 8, 4, 64, dtype="float16")), "no attention_forward for f16-all.*package"),
    ]:
        with pytest.raises((NotImplementedError, TypeError, ValueError), match=words):
            call()
