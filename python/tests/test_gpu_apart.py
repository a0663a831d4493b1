"""Attention with maxima and sums apart on a GPU, beside its definition in FP64: errors are at most 1.5 times those of
the same steps in the tensors' own type.

Needs the wheel, PyTorch and pytest: python -m pytest test_gpu_apart.py
"""

import math

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
                                reason="no GPU of compute capability 9.0")

if torch.cuda.is_available():
    import tilewright
    from tilewright import attention_states, merge_states

BF16, F16 = torch.bfloat16, torch.float16
MASKS = [dict(), dict(causal=True), dict(window=(100, 30))]


def reference(q, k, v, causal=False, window=(-1, -1), dtype=torch.float64):
    """O (batch, queries, heads, dim), and each row's largest score and sum (batch, heads, queries)."""
    q, k, v = (x.to(dtype) for x in (q, k, v))
    sharers = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(sharers, 2), v.repeat_interleave(sharers, 2)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    queries, keys = s.shape[-2:]
    distance = (torch.arange(keys, device=q.device)[None] - torch.arange(queries, device=q.device)[:, None]
                - (keys - queries))
    left, right = window[0], 0 if causal else window[1]
    if right >= 0:
        s = s.masked_fill(distance > right, -math.inf)
    if left >= 0:
        s = s.masked_fill(distance < -left, -math.inf)
    largest = s.amax(-1)
    sums = torch.exp(s - largest.clamp_min(torch.finfo(dtype).min)[..., None]).sum(-1)
    return torch.einsum("bhqk,bkhd->bqhd", torch.softmax(s, -1).nan_to_num(0), v), largest, sums


def close(out, q, k, v, **mask):
    exact, plain = (reference(q, k, v, dtype=dtype, **mask)[0] for dtype in (torch.float64, q.dtype))
    error, allowed = ((x.double() - exact).abs().max().item() for x in (out, plain))
    least = torch.finfo(out.dtype).eps * exact.abs().max().item()
    assert not out.isnan().any() and error <= 1.5 * allowed + least, f"error {error}, plain {allowed}"


def of_normal(*shapes, dtype=BF16):
    return [torch.randn(shape, device="cuda", dtype=dtype) for shape in shapes]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(33)


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize("dim", [64, 128, 40])
@pytest.mark.parametrize("heads, shared", [(4, 4), (8, 2)])
@pytest.mark.parametrize("queries, keys", [(1, 700), (300, 300), (500, 130), (65, 1024)])
def test_states_are_those_of_the_definition(queries, keys, heads, shared, dim, mask):
    for dtype in (BF16, F16):
        q, k, v = of_normal((2, queries, heads, dim), (2, keys, shared, dim), (2, keys, shared, dim), dtype=dtype)
        out, largest, sums = attention_states(q, k, v, **mask)
        close(out, q, k, v, **mask)
        _, exact, of_exact = reference(q, k, v, **mask)
        assert ((largest == exact) | ((largest - exact).abs() < 1e-4)).all()
        assert ((sums - of_exact).abs() <= 1e-3 * of_exact).all() and ((sums == 0) == (of_exact == 0)).all()


def test_parts_of_the_keys_are_merged():
    q, k, v = of_normal((2, 200, 8, 128), (2, 900, 8, 128), (2, 900, 8, 128))
    parts = [attention_states(q, k[:, a:b], v[:, a:b]) for a, b in ((0, 300), (300, 310), (310, 900))]
    largest = torch.stack([of for _, of, _ in parts]).amax(0)
    weights = [sums * torch.exp(of - largest) for _, of, sums in parts]
    whole = sum(out.float() * w.transpose(1, 2)[..., None] for (out, _, _), w in zip(parts, weights))
    close((whole / sum(weights).transpose(1, 2)[..., None]).to(BF16), q, k, v)
    merged, _ = merge_states([out for out, _, _ in parts], [of + sums.log() for _, of, sums in parts])
    close(merged, q, k, v)


def test_compiled_functions_have_no_graph_breaks():
    q, k, v = of_normal(*[(1, 100, 4, 64)] * 3)
    compiled = torch.compile(lambda *x: attention_states(*x, causal=True), fullgraph=True)
    for found, wanted in zip(compiled(q, k, v), attention_states(q, k, v, causal=True)):
        assert torch.equal(found, wanted)
    torch.library.opcheck(torch.ops.tilewright.attention_states.default, (q, k, v, 0.1, True, -1, -1))


def test_no_keys_have_no_sums():
    q, k, v = of_normal((1, 5, 4, 64), (1, 0, 4, 64), (1, 0, 4, 64))
    out, largest, sums = tilewright.attention_states(q, k, v)
    assert (out == 0).all() and (largest == -math.inf).all() and (sums == 0).all()
