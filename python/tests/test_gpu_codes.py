"""Attention on caches of e4m3 codes on a GPU, beside attention on what the codes stand for, in FP64: errors are at most
1.5 times those of the same steps in the type of q.

Needs the wheel, PyTorch and pytest: python -m pytest test_gpu_codes.py
"""

import math

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
                                reason="no GPU of compute capability 9.0")

if torch.cuda.is_available():
    from tilewright import flash_attn_with_kvcache

BF16, E4M3 = torch.bfloat16, torch.float8_e4m3fn


def integers(*numbers):
    return torch.tensor(numbers, dtype=torch.int32, device="cuda")


def reference(q, k, v, causal, dtype):
    """Attention of one sequence, (queries, heads, dim) on (keys, heads_k, dim), and its logarithms."""
    q, k, v = (x.to(dtype) for x in (q, k, v))
    sharers = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(sharers, 1), v.repeat_interleave(sharers, 1)
    s = torch.einsum("qhd,khd->hqk", q, k) * q.shape[-1] ** -0.5
    if causal:
        queries, keys = s.shape[-2:]
        last = torch.arange(queries, device=q.device)[:, None] + keys - queries
        s = s.masked_fill(torch.arange(keys, device=q.device)[None] > last, -math.inf)
    p = torch.softmax(s, -1).nan_to_num(0)
    return torch.einsum("hqk,khd->qhd", p, v), torch.logsumexp(s, -1)


def close(found, q, rows, causal=False):
    """Compares outputs and logarithms with those of the rows (k, v) of each entry, in FP64."""
    out, lse = found
    for b, (k, v) in enumerate(rows):
        (exact, logarithms), (plain, _) = (reference(q[b], k, v, causal, dtype) for dtype in (torch.float64, q.dtype))
        error, allowed = ((x.double() - exact).abs().max().item() for x in (out[b], plain))
        least = torch.finfo(out.dtype).eps * exact.abs().max().item()
        assert not out[b].isnan().any() and error <= 1.5 * allowed + least, f"entry {b}: {error}, plain {allowed}"
        assert ((lse[b] == logarithms) | ((lse[b] - logarithms).abs() < 5e-3)).all(), f"logarithms of entry {b}"


def cache(lengths, room, shared, dim, factors):
    """Codes of keys and values, NaN behind the lengths, and the rows that they stand for by factors (batch, heads)."""
    codes = [torch.randn(len(lengths), room, shared, dim, device="cuda").to(E4M3) for _ in range(2)]
    stand_for = [x.double() * f.double()[:, None, :, None] for x, f in zip(codes, factors)]
    for b, length in enumerate(lengths):
        for x in codes:
            x.view(torch.uint8)[b, length:] = 0x7f
    return *codes, [tuple(x[b, :n] for x in stand_for) for b, n in enumerate(lengths)]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(33)


LENGTHS = [(1000,), (1, 64, 513), (0, 17, 128), (3000, 3) + (200,) * 10]


@pytest.mark.parametrize("lengths", LENGTHS, ids=lambda lengths: f"{len(lengths)}x{max(lengths)}")
@pytest.mark.parametrize("heads", [(8, 8), (8, 2), (64, 8)])
@pytest.mark.parametrize("queries", [1, 2, 5, 40])
@pytest.mark.parametrize("dim", [64, 128])
def test_codes_with_lengths(lengths, heads, queries, dim):
    factors = 0.5 + torch.rand(2, len(lengths), heads[1], device="cuda")
    k, v, rows = cache(lengths, 3008, heads[1], dim, factors)
    q = torch.randn(len(lengths), queries, heads[0], dim, device="cuda", dtype=BF16)
    for causal in (False, True):
        close(flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), causal=causal, k_descale=factors[0],
                                      v_descale=factors[1], return_softmax_lse=True), q, rows, causal)


@pytest.mark.parametrize("page", [16, 64])
@pytest.mark.parametrize("heads", [(8, 8), (8, 2), (64, 8), (10, 2)])
@pytest.mark.parametrize("queries", [1, 4])
def test_pages(page, heads, queries):
    if queries > 1 and heads == (10, 2):
        pytest.skip("five heads share tiles with one query only")
    lengths = (1500, 0, 257, 16)
    factors = 0.5 + torch.rand(2, 4, heads[1], device="cuda")
    k, v, rows = cache(lengths, 1536, heads[1], 128, factors)
    order = torch.randperm(4 * 1536 // page, device="cuda")
    pages = [torch.empty_like(x).view(torch.uint8).view(-1, page, heads[1], 128) for x in (k, v)]
    for lying, x in zip(pages, (k, v)):
        lying[order] = x.view(torch.uint8).reshape(-1, page, heads[1], 128)
    q = torch.randn(4, queries, heads[0], 128, device="cuda", dtype=BF16)
    close(flash_attn_with_kvcache(q, *(x.view(E4M3) for x in pages), cache_seqlens=integers(*lengths),
                                  block_table=order.view(4, -1).to(torch.int32), causal=True, k_descale=factors[0],
                                  v_descale=factors[1], return_softmax_lse=True), q, rows, True)


def test_one_factor_serves_all_heads():
    ones = torch.ones(2, 2, device="cuda")
    k, v, rows = cache((500, 33), 512, 2, 128, (0.25 * ones, 2 * ones))
    q = torch.randn(2, 1, 16, 128, device="cuda", dtype=BF16)
    lengths = integers(500, 33)
    for factors in ((0.25, 2.0), (torch.full((), 0.25, device="cuda"), torch.full((1,), 2.0, device="cuda"))):
        close(flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, k_descale=factors[0], v_descale=factors[1],
                                      return_softmax_lse=True), q, rows)
    k, v, rows = cache((500, 33), 512, 2, 128, (ones, ones))
    close(flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, return_softmax_lse=True), q, rows)


def test_captured_graphs_serve_other_lengths():
    ones = torch.ones(2, 2, device="cuda")
    k, v, rows = cache((4096, 4096), 4096, 2, 128, (ones, ones))
    q, lengths = torch.randn(2, 1, 8, 128, device="cuda", dtype=BF16), integers(1, 1)
    side = torch.cuda.Stream()

    def step():
        return flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, k_descale=ones, v_descale=ones,
                                       return_softmax_lse=True)

    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        found = step()
    for now in ((2, 4096), (4096, 4096), (0, 1), (1000, 63)):
        q.normal_()
        lengths.copy_(integers(*now))
        graph.replay()
        close(found, q, [(a[:n], b[:n]) for (a, b), n in zip(rows, now)])


def test_compiled_functions_have_no_graph_breaks():
    ones = torch.ones(2, 2, device="cuda")
    k, v, _ = cache((200, 33), 256, 2, 128, (ones, ones))
    q = torch.randn(2, 1, 8, 128, device="cuda", dtype=BF16)

    def step(q, k, v, lengths):
        return flash_attn_with_kvcache(q * 2, k, v, cache_seqlens=lengths, k_descale=ones, v_descale=ones) + 1

    given = q, k, v, integers(200, 33)
    assert torch.equal(torch.compile(step, fullgraph=True)(*given), step(*given))
