"""Attention with sinks on a GPU, beside its definition step by step in FP64: errors are at most 1.5 times those of the
same steps in the tensors' own type.

Needs the wheel, PyTorch and pytest: python -m pytest test_gpu_sinks.py
"""

import math

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
                                reason="no GPU of compute capability 9.0")

if torch.cuda.is_available():
    from tilewright import attention, attention_varlen, flash_attn_func, flash_attn_with_kvcache

BF16, F16 = torch.bfloat16, torch.float16
MASKS = [(False, (-1, -1)), (True, (-1, -1)), (False, (100, 30)), (True, (127, 0))]


def integers(*numbers):
    return torch.tensor(numbers, dtype=torch.int32, device="cuda")


def reference(q, k, v, sinks, causal, window, dtype):
    """Attention of one sequence, (queries, heads, dim) on (keys, heads_k, dim), and its logarithms."""
    q, k, v, sinks = (x.to(dtype) for x in (q, k, v, sinks))
    sharers = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(sharers, 1), v.repeat_interleave(sharers, 1)
    s = torch.einsum("qhd,khd->hqk", q, k) * q.shape[-1] ** -0.5
    queries, keys = s.shape[-2:]
    distance = (torch.arange(keys, device=q.device)[None] - torch.arange(queries, device=q.device)[:, None]
                - (keys - queries))
    left, right = window[0], 0 if causal else window[1]
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    if right >= 0:
        hidden |= distance > right
    if left >= 0:
        hidden |= distance < -left
    s = s.masked_fill(hidden, -math.inf)
    s = torch.cat([s, sinks[:, None, None].expand(-1, queries, 1)], -1)
    p = torch.softmax(s, -1)[..., :-1]
    return torch.einsum("hqk,khd->qhd", p, v), torch.logsumexp(s, -1)


def close(out, lse, *problem):
    """Compares the output and logarithms of one sequence."""
    (exact, logarithms), (plain, _) = (reference(*problem, dtype) for dtype in (torch.float64, problem[0].dtype))
    error, allowed = ((x.double() - exact).abs().max().item() for x in (out, plain))
    least = torch.finfo(out.dtype).eps * exact.abs().max().item()
    assert not out.isnan().any() and error <= 1.5 * allowed + least, f"error {error}, plain {allowed}"
    assert (lse.double() - logarithms).abs().max() < 2e-3


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(33)


def tensors(queries, keys, heads, shared, dim, dtype=BF16, batch=2):
    return [torch.randn(batch, n, h, dim, device="cuda", dtype=dtype)
            for n, h in ((queries, heads), (keys, shared), (keys, shared))]


@pytest.mark.parametrize("dtype", [BF16, F16])
@pytest.mark.parametrize("dim", [64, 80, 128])
@pytest.mark.parametrize("causal, window", MASKS)
def test_whole_tensors(dtype, dim, causal, window):
    for queries, keys, heads, shared in ((500, 500, 8, 1), (130, 700, 6, 6), (1, 300, 8, 2), (90, 40, 4, 4)):
        q, k, v = tensors(queries, keys, heads, shared, dim, dtype)
        for sinks in (2 * torch.randn(heads, device="cuda"), 9 + torch.randn(heads, device="cuda").to(BF16)):
            out, lse = attention(q, k, v, causal=causal, window=window, sinks=sinks)
            for b in range(2):
                close(out[b], lse[b], q[b], k[b], v[b], sinks, causal, window)


def test_without_keys_a_row_has_its_sink():
    q, k, v = tensors(3, 0, 4, 4, 64)
    sinks = torch.randn(4, device="cuda")
    out, lse, _ = flash_attn_func(q, k, v, s_aux=sinks, return_attn_probs=True)
    assert not out.any() and torch.equal(lse, sinks[None, :, None].expand(2, 4, 3))


@pytest.mark.parametrize("causal, window", MASKS)
def test_packed_sequences(causal, window):
    lengths, seen = [100, 1, 300], [250, 40, 130]
    cu_q, cu_k = (torch.tensor([0, *x], device="cuda").cumsum(0, dtype=torch.int32) for x in (lengths, seen))
    q, k, v = (torch.randn(sum(n), h, 64, device="cuda", dtype=BF16) for n, h in ((lengths, 8), (seen, 2), (seen, 2)))
    sinks = torch.randn(8, device="cuda")
    out, lse = attention_varlen(q, k, v, cu_q, cu_k, 300, 250, causal=causal, window=window, sinks=sinks)
    for i in range(3):
        a, b, c, d = *cu_q[i:i + 2].tolist(), *cu_k[i:i + 2].tolist()
        close(out[a:b], lse[:, a:b], q[a:b], k[c:d], v[c:d], sinks, causal, window)


@pytest.mark.parametrize("heads", [(8, 8), (64, 8), (8, 2), (6, 2)])
@pytest.mark.parametrize("queries", [1, 3, 8, 90])
@pytest.mark.parametrize("page", [0, 16])
@pytest.mark.parametrize("causal, window", MASKS)
def test_caches(heads, queries, page, causal, window):
    lengths = (1500, 33, 0)
    q, k, v = tensors(queries, 2048, *heads, 64, batch=3)
    given, table = (k, v), None
    if page:
        given = [x.reshape(-1, page, heads[1], 64) for x in (k, v)]
        table = torch.arange(3 * 2048 // page, device="cuda", dtype=torch.int32).view(3, -1)
    sinks = torch.randn(heads[0], device="cuda")
    for splits in (0, 1, 4):
        if page and splits == 4 and queries > 8:
            continue
        out, lse = flash_attn_with_kvcache(q, *given, cache_seqlens=integers(*lengths), block_table=table,
                                           causal=causal, window_size=window, num_splits=splits,
                                           return_softmax_lse=True, s_aux=sinks)
        for b, length in enumerate(lengths):
            close(out[b], lse[b], q[b], k[b, :length], v[b, :length], sinks, causal, window)


def test_compiled_functions_have_no_graph_breaks():
    q, k, v = tensors(3, 200, 8, 2, 64)
    sinks = torch.randn(8, device="cuda").to(BF16)

    def step(q, k, v, sinks):
        return (attention(q * 2, k, v, causal=True, sinks=sinks)[0] + 1,
                flash_attn_with_kvcache(q * 2, k, v, cache_seqlens=integers(100, 3), s_aux=sinks) + 1)

    for found, wanted in zip(torch.compile(step, fullgraph=True)(q, k, v, sinks), step(q, k, v, sinks)):
        assert torch.equal(found, wanted)


def test_operators_are_as_pytorch_wants_them():
    q, k, v = tensors(3, 200, 8, 2, 64)
    sinks, ops = torch.randn(8, device="cuda"), torch.ops.tilewright
    torch.library.opcheck(ops.attention_sinks.default, (q, k, v, sinks, None, None, 0, 0.125, True, -1, -1))
    torch.library.opcheck(ops.attention_with_cache.default, (q, k, v, integers(100, 3), None, None, sinks, 0.125, True,
                                                             -1, -1, 0.0, 0))
