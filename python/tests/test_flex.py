"""The way of flex_attention to a launch: lists of blocks, captured tensors, kernels that Java makes; no GPU."""

import json
import math
import types
import zipfile

import plain_torch
import pytest
from plain_torch import Tensor
from standin import StandIn, kernel, number

from tilewright import _compile, _dispatch, _functions, _runtime

TENSORS = ("q", "k", "v", "o", "lse")
LISTS = ("pc", "pi", "fc", "fi")


def launch(pointers, numbers=(), scalars=()):
    arguments = [["pointer", name] for name in pointers] + [["s64", name] for name in numbers] + [
        ["f32", name] for name in scalars]
    return {"kernel": 0, "grid": ["B", 1, 1], "arguments": arguments}


def case(launches, workspace, dims=(64, 128)):
    return {"axes": [["dim", "D", list(dims)], ["queries", "Sq"]], "choice": 0,
            "launches": [{"workspace": workspace, "launches": launches}]}


STRIDES = [f"{letter}{name}" for letter in "pf" for name in ("c_b", "c_h", "i_b", "i_h", "i_r", "e")]
MADE = [[name, ["*", "Sq", 4]] for name in ("blockCounts", "partialBlocks", "fullBlocks")]
TILES = [[name, ["*", "Sq", 4]] for name in ("tileCounts", "tileList")]
FORWARD = launch((*TENSORS, "tiles", "t0", "blockCounts"), ("t0_0", "t0_1", "t0_s0", "D"), ("scale",))
ALIBI = launch((*TENSORS, "tiles", "t0"), ("t0_0",), ("scale",))
BACKWARD = launch((*TENSORS, "do", "dq", "dk", "dv", "t0", "tileList", "w"))
CAPPED = launch((*TENSORS, "tiles"), (), ("scale", "f0", "f1"))
SCALED = launch((*TENSORS, "tiles"), (), ("scale", "f0"))
WINDOW = launch((*TENSORS, "tiles", "blockCounts"), ("i0",))


def write(folder, operators):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sm90.json").write_text(json.dumps(operators))
    kernel(folder)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    plain_torch.install(monkeypatch)
    monkeypatch.delenv("TILEWRIGHT_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(_compile, "_version", lambda: "0")
    lists = launch((*LISTS, "t0", "blockCounts"), STRIDES)
    write(tmp_path / "data", {
        "flex_forward": {"bf16-document": case([lists, FORWARD], MADE), "bf16-alibi": case([ALIBI], []),
                         "bf16-softcap": case([CAPPED], []),
                         "bf16-window": case([launch(LISTS, STRIDES), WINDOW], MADE)},
        "flex_backward": {"bf16-document": case([launch((*LISTS, "tileCounts")), BACKWARD],
                                                [*TILES, ["w", ["*", "Sq", 4]]])}})
    real = _dispatch.Data
    monkeypatch.setattr(_runtime, "Data", lambda capability, folder=tmp_path / "data": real(capability, folder))
    stand_in = StandIn()
    _runtime.use(stand_in)
    yield stand_in
    _runtime.use(None)


def given(driver, kinds, place=-1):
    """The arguments of a launch by name."""
    return {name: number(address, kind) for (kind, name), address in
            zip(kinds["arguments"], driver.launched[place][5], strict=True)}


def integers(*shape, **options):
    return Tensor(*shape, dtype="int32", **options)


def block_mask(mask_mod, full=True, batch=1, heads=1, rows=2, entries=3, size=(128, 128)):
    lists = [integers(batch, heads, rows), integers(batch, heads, rows, entries)]
    lists += [integers(batch, heads, rows), integers(batch, heads, rows, entries)] if full else [None, None]
    names = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices")
    return types.SimpleNamespace(mask_mod=mask_mod, BLOCK_SIZE=size, **dict(zip(names, lists)))


def qkv(queries=200, keys=300, dim=64, **options):
    return [Tensor(2, 4, length, dim, **options) for length in (queries, keys, keys)]


def by_document(documents):
    return lambda b, h, q, k: documents[b, q] == documents[b, k]


def test_lists_are_made_once_for_a_block_mask(driver):
    from tilewright import flex_attention

    documents, (q, k, v) = integers(2, 300), qkv()
    mask = block_mask(by_document(documents))
    out, lse = flex_attention(q, k, v, block_mask=mask, return_lse=True)
    lists = given(driver, launch((*LISTS, "t0", "blockCounts"), STRIDES), 0)
    attention = given(driver, FORWARD)
    assert [lists["pc"], lists["pi"], lists["fc"], lists["fi"]] == [x.data_ptr() for x in (
        mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices)]
    assert [lists[name] for name in ("pc_b", "pc_h", "pi_b", "pi_h", "pi_r", "pe")] == [0, 0, 0, 0, 3, 3]
    assert lists["blockCounts"] == attention["blockCounts"] and lists["t0"] == documents.data_ptr()
    assert [attention[name] for name in ("t0_0", "t0_1", "t0_s0", "D")] == [2, 300, 300, 64]
    assert (out.shape, lse.shape) == ((2, 4, 200, 64), (2, 4, 200)) and attention["o"] == out.data_ptr()
    assert attention["scale"] == 0.125
    flex_attention(q, k, v, block_mask=mask)
    assert len(driver.launched) == 3 and given(driver, FORWARD)["blockCounts"] == attention["blockCounts"]
    mask.kv_indices._version += 1
    flex_attention(q, k, v, block_mask=mask)
    other = block_mask(by_document(documents))
    flex_attention(q, k, v, block_mask=other)
    assert len(driver.launched) == 7


def test_lists_of_batch_entries_and_heads_have_strides(driver):
    from tilewright import flex_attention

    mask = block_mask(lambda b, h, q, k: (q >= k) & (q - k <= 100), full=False, batch=2, heads=4)
    flex_attention(*qkv(), block_mask=mask)
    lists = given(driver, launch(LISTS, STRIDES), 0)
    assert [lists[name] for name in ("pc_b", "pc_h", "pi_b", "pi_h", "pi_r")] == [8, 2, 24, 6, 3]
    assert lists["fe"] == 0 and lists["pe"] == 3
    assert given(driver, WINDOW)["i0"] == 100


def test_functions_numbers_are_those_of_the_call(driver):
    from tilewright import flex_attention

    tanh = _functions.FUNCTIONS["tanh"]
    flex_attention(*qkv(), score_mod=lambda s, b, h, q, k: 30 * tanh(s / 30), scale=0.5)
    numbers = given(driver, CAPPED)
    assert numbers["scale"] == 0.5 and abs(numbers["f0"] - 1 / 30) < 1e-8 and numbers["f1"] == 30


def test_captured_tensors_are_copied_where_kernels_cannot_read_them(driver):
    from tilewright import flex_attention

    for slopes, copied in ((Tensor(4, dtype="float32"), False), (Tensor(4, dtype="float32", strides=(2,)), True),
                           (Tensor(4, dtype="float32", address=(1 << 29) + 4), True)):
        flex_attention(*qkv(), score_mod=lambda s, b, h, q, k: s + slopes[h] * (k - q))
        assert (given(driver, ALIBI)["t0"] != slopes.data_ptr()) == copied


def test_head_dimensions_are_filled_up_and_may_differ(driver):
    from tilewright import flex_attention

    slopes, (q, k, _) = Tensor(4, dtype="float32"), qkv(dim=96)
    v = Tensor(2, 4, 300, 32)
    out = flex_attention(q, k, v, score_mod=lambda s, b, h, q, k: s + slopes[h] * (k - q))
    assert out.shape == (2, 4, 200, 32) and abs(given(driver, ALIBI)["scale"] - 96 ** -0.5) < 1e-6


def test_gradients_have_lists_of_their_own(driver):
    from tilewright import flex

    documents = integers(2, 300)
    traced = _functions.Traced(None, by_document(documents), (2, 4, 200, 300), (128, 128))
    q, k, v = (x.transpose(1, 2) for x in qkv())
    mask = block_mask(None)
    lists = [mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices]
    options = lists, [documents], traced.text, traced.integers, traced.numbers, 0.125
    o, lse = flex._forward(q, k, v, *options)
    context = types.SimpleNamespace(mark_non_differentiable=lambda *_: None)
    context.save_for_backward = lambda *tensors: setattr(context, "saved_tensors", tensors)
    flex._remember(context, (q, k, v, *options), (o, lse))
    gradients = flex._pass_back(context, q, None)
    last = given(driver, BACKWARD)
    assert [last[name] for name in ("dq", "dk", "dv")] == [x.data_ptr() for x in gradients[:3]]
    assert [x.shape for x in gradients[:3]] == [x.shape for x in (q, k, v)]
    assert (last["t0"], last["lse"], last["do"]) == (documents.data_ptr(), lse.data_ptr(), q.data_ptr())
    assert gradients[3:5] == ([None] * 4, [None]) and len(gradients) == 3 + 6


def test_nothing_is_launched_without_elements(driver):
    from tilewright import flex_attention

    out, lse = flex_attention(*qkv(keys=0), score_mod=lambda s, b, h, q, k: 30 * _functions.FUNCTIONS["tanh"](s / 30),
                              return_lse=True)
    assert not driver.launched and lse.filled == -math.inf


def test_a_kernel_that_is_missing_is_made_by_java_and_kept(driver, monkeypatch, tmp_path):
    from tilewright import flex_attention

    called = []

    def package(command, **_):
        called.append(command)
        out, functions = (command[command.index(option) + 1] for option in ("--out", "--functions"))
        (name, form), = json.loads(open(functions).read()).items()
        assert form["score"] == ["*", "s", "f0"] and f"bf16-{name}" in command and command[0] == "/java/tilewright"
        write(tmp_path / "made", {"flex_forward": {f"bf16-{name}": case([SCALED], [], [96])}})
        with zipfile.ZipFile(f"{out}/tilewright-0.whl", "w") as wheel:
            for file in (tmp_path / "made").iterdir():
                wheel.write(file, f"tilewright/data/{file.name}")
        return types.SimpleNamespace(returncode=0)

    def doubled(s, b, h, q, k):
        return 2 * s

    with pytest.raises(NotImplementedError, match="no flex_forward for bf16-f.*TILEWRIGHT_HOME"):
        flex_attention(*qkv(dim=80), score_mod=doubled)
    monkeypatch.setenv("TILEWRIGHT_HOME", "/java")
    monkeypatch.setattr(_compile.subprocess, "run", package)
    flex_attention(*qkv(dim=80), score_mod=doubled)
    assert called[0][-2:] == ["--head-dim", "96"] and "sm90" in called[0]
    flex_attention(*qkv(100, 100, dim=80), score_mod=lambda s, b, h, q, k: 3 * s)
    assert len(called) == 1 and len(driver.launched) == 2


def test_what_cannot_be_done_is_refused_with_the_reason(driver):
    from tilewright import flex_attention

    q, k, v = qkv()
    with pytest.raises(ValueError, match="query has 4 heads and key 2: needed is enable_gqa=True"):
        flex_attention(q, Tensor(2, 2, 300, 64), Tensor(2, 2, 300, 64))
    slopes = Tensor(4, dtype="float32", requires_grad=True)
    with pytest.raises(NotImplementedError, match="a captured tensor requires a gradient: needed is detach"):
        flex_attention(q, k, v, score_mod=lambda s, b, h, q, k: s + slopes[h] * (k - q))
    with pytest.raises(ValueError, match=r"needed are \(1 or 2, 1 or 4, 2\)"):
        flex_attention(q, k, v, block_mask=block_mask(by_document(integers(2, 300)), rows=3))
    with pytest.raises(ValueError, match="a captured tensor is on cpu, but query is on cuda:0"):
        flex_attention(q, k, v, block_mask=block_mask(by_document(integers(2, 300, device="cpu"))))
