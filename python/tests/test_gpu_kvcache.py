"""Attention on caches on a GPU, beside flash-attn's semantics step by step in FP64: errors are at most 1.5 times those
of the same steps in the tensors' own type.

Needs the wheel, PyTorch and pytest: python -m pytest test_gpu_kvcache.py
"""

import math

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
                                reason="no GPU of compute capability 9.0")

if torch.cuda.is_available():
    import tilewright
    import tilewright.merging
    from tilewright import flash_attn_func, flash_attn_with_kvcache

BF16, F16 = torch.bfloat16, torch.float16


def integers(*numbers):
    return torch.tensor(numbers, dtype=torch.int32, device="cuda")


def entry(q, k, v, causal, window, softcap, scale, dtype):
    """Attention of one sequence, (queries, heads, dim) on (keys, heads_k, dim), and its logarithms."""
    q, k, v = (x.to(dtype) for x in (q, k, v))
    sharers = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(sharers, 1), v.repeat_interleave(sharers, 1)
    s = torch.einsum("qhd,khd->hqk", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = softcap * torch.tanh(s / softcap) if softcap else s
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
    p = torch.softmax(s, -1).nan_to_num(0)
    return torch.einsum("hqk,khd->qhd", p, v), torch.logsumexp(s, -1)


def reference(q, rows, dtype=torch.float64, causal=False, window=(-1, -1), softcap=0.0, scale=None):
    """Attention of q (batch, queries, heads, dim) on each entry's keys and values."""
    both = [entry(x, k, v, causal, window, softcap, scale, dtype) for x, (k, v) in zip(q, rows)]
    return torch.stack([o for o, _ in both]), torch.stack([lse for _, lse in both])


def close(found, q, rows, **options):
    """Compares output and logarithms."""
    out, lse = found
    (exact, logarithms), (plain, _) = (reference(q, rows, dtype, **options) for dtype in (torch.float64, q.dtype))
    error, allowed = ((x.double() - exact).abs().max().item() for x in (out, plain))
    least = torch.finfo(out.dtype).eps * exact.abs().max().item()
    assert not out.isnan().any() and error <= 1.5 * allowed + least, f"error {error}, plain {allowed}"
    same = (lse.double() == logarithms) | ((lse.double() - logarithms).abs() < 2e-3)
    assert same.all(), (lse.double() - logarithms).abs().max()


def cache(lengths, room, shared, dim, dtype, entries=None):
    """A cache whose rows behind the lengths are NaN, and what it holds."""
    k, v = (torch.randn(entries or len(lengths), room, shared, dim, device="cuda", dtype=dtype) for _ in range(2))
    for b, length in enumerate(lengths):
        k[b, length:], v[b, length:] = math.nan, math.nan
    return k, v, [(k[b, :length], v[b, :length]) for b, length in enumerate(lengths)]


def paged(k, v, page, spare=3):
    """The rows of a cache in pages of any order, and their table; room for more pages is at the end."""
    batch, room, shared, dim = k.shape
    each = math.ceil(room / page)
    order = torch.randperm(batch * each + spare, device="cuda")[:batch * each]
    pages = []
    for x in (k, v):
        filled = torch.full((batch, each * page, shared, dim), math.nan, device="cuda", dtype=x.dtype)
        filled[:, :room] = x
        lying = torch.full((batch * each + spare, page, shared, dim), math.nan, device="cuda", dtype=x.dtype)
        lying[order] = filled.view(batch * each, page, shared, dim)
        pages.append(lying)
    return (*pages, order.view(batch, each).to(torch.int32))


HEADS = [(8, 8), (8, 2), (8, 1), (6, 2), (32, 8)]
LENGTHS = [(1000,), (1, 64, 513), (0, 17, 128), (2000, 3)]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(29)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("heads", HEADS, ids=str)
@pytest.mark.parametrize("queries", [1, 2, 5, 16])
def test_caches_with_lengths(lengths, heads, queries):
    k, v, rows = cache(lengths, 2048, heads[1], 128, BF16)
    q = torch.randn(len(lengths), queries, heads[0], 128, device="cuda", dtype=BF16)
    for causal in (False, True):
        close(flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), causal=causal,
                                      return_softmax_lse=True), q, rows, causal=causal)


@pytest.mark.parametrize("dim", [64, 80, 96, 128, 192, 256])
@pytest.mark.parametrize("dtype", [BF16, F16])
@pytest.mark.parametrize("queries", [1, 4, 100])
def test_head_dimensions(dim, dtype, queries):
    lengths = (700, 150, 333)
    k, v, rows = cache(lengths, 704, 2, dim, dtype)
    q = torch.randn(3, queries, 4, dim, device="cuda", dtype=dtype)
    options = dict(cache_seqlens=integers(*lengths), causal=True, return_softmax_lse=True)
    close(flash_attn_with_kvcache(q, k, v, **options), q, rows, causal=True)
    pages = paged(k, v, 16)
    close(flash_attn_with_kvcache(q, *pages[:2], block_table=pages[2], **options), q, rows, causal=True)


@pytest.mark.parametrize("page", [16, 48, 64, 256, 768])
@pytest.mark.parametrize("queries", [1, 3, 80])
def test_pages(page, queries):
    lengths = (1500, 0, 257, 16)
    k, v, rows = cache(lengths, 1536, 2, 128, BF16)
    q = torch.randn(4, queries, 8, 128, device="cuda", dtype=BF16)
    *pages, table = paged(k, v, page)
    for causal, window in ((False, (-1, -1)), (True, (-1, -1)), (False, (100, 20))):
        close(flash_attn_with_kvcache(q, *pages, cache_seqlens=integers(*lengths), block_table=table, causal=causal,
                                      window_size=window, return_softmax_lse=True), q, rows, causal=causal,
              window=window)


@pytest.mark.parametrize("queries", [1, 7, 70])
@pytest.mark.parametrize("window", [(-1, -1), (128, 0), (50, 10), (-1, 3), (0, 0)], ids=str)
@pytest.mark.parametrize("softcap", [0.0, 20.0])
def test_windows_and_softcap(queries, window, softcap):
    lengths = (900, 40)
    k, v, rows = cache(lengths, 1024, 2, 64, BF16)
    q = 3 * torch.randn(2, queries, 6, 64, device="cuda", dtype=BF16)
    for causal in (False, True):
        options = dict(causal=causal, softcap=softcap, scale=0.2)
        found = flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), window_size=window, causal=causal,
                                        softcap=softcap, softmax_scale=0.2, return_softmax_lse=True)
        close(found, q, rows, window=window, **options)


@pytest.mark.parametrize("splits", [0, 1, 2, 7, 100])
def test_splits_change_no_more_than_rounding(splits):
    lengths = (5000, 1234)
    k, v, rows = cache(lengths, 8192, 2, 128, BF16)
    q = torch.randn(2, 1, 8, 128, device="cuda", dtype=BF16)
    close(flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), num_splits=splits,
                                  return_softmax_lse=True), q, rows)


def test_a_long_cache():
    k, v, rows = cache((131072,), 131072, 1, 128, BF16)
    q = torch.randn(1, 1, 8, 128, device="cuda", dtype=BF16)
    close(flash_attn_with_kvcache(q, k, v, cache_seqlens=131072, return_softmax_lse=True), q, rows)


def test_whole_numbers_and_no_lengths():
    k, v, _ = cache((300, 300), 300, 2, 128, BF16)
    q = torch.randn(2, 2, 4, 128, device="cuda", dtype=BF16)
    whole = flash_attn_func(q, k, v, causal=True)
    for lengths in (None, 300, integers(300, 300)):
        assert torch.allclose(flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, causal=True), whole, atol=1e-2)


@pytest.mark.parametrize("queries", [1, 5, 90])
def test_entries_by_number_and_left_padding(queries):
    lengths, entries = (400, 100, 250), (4, 0, 2)
    k, v, rows = cache((100, 300, 250, 17, 400), 403, 2, 128, BF16)
    q = torch.randn(3, queries, 8, 128, device="cuda", dtype=BF16)
    close(flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), cache_batch_idx=integers(*entries),
                                  causal=True, return_softmax_lse=True), q, [rows[i] for i in entries], causal=True)
    k, v, rows = cache(lengths, 403, 2, 128, BF16)
    padding = (0, 100, 37)
    for b, before in enumerate(padding):
        k[b, :before], v[b, :before] = math.nan, math.nan
    rows = [(a[before:], b[before:]) for (a, b), before in zip(rows, padding)]
    close(flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), cache_leftpad=integers(*padding),
                                  causal=True, return_softmax_lse=True), q, rows, causal=True)


def angles(positions, columns):
    angle = torch.arange(positions, device="cuda")[:, None] / 10000 ** (torch.arange(0, columns, 2, device="cuda")
                                                                        / columns)
    return angle.cos(), angle.sin()


def turned(x, cos, sin, first, interleaved):
    """The first columns of x (tokens, heads, dim), turned by the positions from the first on, rounded to x's type."""
    columns = 2 * cos.shape[1]
    at = first + torch.arange(x.shape[0], device="cuda") if not torch.is_tensor(first) else first
    c, s = (t.double()[at][:, None] for t in (cos, sin))
    part = x[..., :columns].double()
    a, b = (part[..., ::2], part[..., 1::2]) if interleaved else part.chunk(2, -1)
    both = a * c - b * s, b * c + a * s
    part = torch.stack(both, -1).flatten(-2) if interleaved else torch.cat(both, -1)
    return torch.cat([part.to(x.dtype), x[..., columns:]], -1)


def ulps(found, wanted):
    """Whether numbers differ by no more than one unit in the last place."""
    difference = (found.double() - wanted.double()).abs()
    return bool((difference <= torch.finfo(found.dtype).eps * wanted.double().abs() + 1e-6).all())


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("dim,columns", [(128, 128), (128, 64), (128, 32), (64, 64), (64, 32), (96, 48), (256, 256)])
@pytest.mark.parametrize("page", [0, 16, 64, 256])
@pytest.mark.parametrize("queries,tokens", [(1, 1), (4, 4), (3, 40), (40, 40)])
def test_new_tokens_are_turned_and_appended(interleaved, dim, columns, page, queries, tokens):
    lengths = (0, 15, 200)
    k_cache, v_cache, rows = cache(lengths, 256, 2, dim, BF16)
    q = torch.randn(3, queries, 8, dim, device="cuda", dtype=BF16)
    k, v = (torch.randn(3, tokens, 2, dim, device="cuda", dtype=BF16) for _ in range(2))
    cos, sin = angles(300, columns)
    full, turns = [], []
    for b, length in enumerate(lengths):
        full.append((torch.cat([rows[b][0], turned(k[b], cos, sin, length, interleaved)]),
                     torch.cat([rows[b][1], v[b]])))
        turns.append(turned(q[b], cos, sin, length, interleaved))
    given, table = (k_cache, v_cache), None
    if page:
        *given, table = paged(k_cache, v_cache, page)
    kept = integers(*lengths)
    found = flash_attn_with_kvcache(q, *given, k, v, cos, sin, kept, block_table=table, causal=True,
                                    rotary_interleaved=interleaved, return_softmax_lse=True)
    assert kept.tolist() == list(lengths)
    for b, length in enumerate(lengths):
        for x, wanted in zip(given, full[b]):
            x = x[table[b].long()].flatten(0, 1) if page else x[b]
            assert ulps(x[:length + tokens], wanted) and x[length + tokens:256].isnan().all()
    close(found, torch.stack(turns), full, causal=True)


def test_queries_of_no_mask_are_turned_by_the_first_position():
    k_cache, v_cache, rows = cache((100, 7), 128, 2, 64, F16)
    q = torch.randn(2, 3, 4, 64, device="cuda", dtype=F16)
    k, v = (torch.randn(2, 3, 2, 64, device="cuda", dtype=F16) for _ in range(2))
    cos, sin = (x.to(F16) for x in angles(128, 64))
    full = [(torch.cat([a, turned(k[b], cos, sin, length, True)]), torch.cat([c, v[b]]))
            for b, (length, (a, c)) in enumerate(zip((100, 7), rows))]
    turns = torch.stack([turned(q[b], cos, sin, torch.full((3,), length, device="cuda"), True)
                         for b, length in enumerate((100, 7))])
    found = flash_attn_with_kvcache(q, k_cache, v_cache, k, v, cos, sin, integers(100, 7), return_softmax_lse=True)
    close(found, turns, full)


@pytest.mark.parametrize("numbered", [False, True])
def test_tokens_are_appended_without_turning(numbered):
    lengths, entries = (100, 255), (3, 1) if numbered else (0, 1)
    k_cache, v_cache, _ = cache((0,) * 5 if numbered else lengths, 258, 3, 80, BF16)
    for b, length in zip(entries, lengths):
        k_cache[b, :length], v_cache[b, :length] = (torch.randn(length, 3, 80, device="cuda") for _ in range(2))
    q = torch.randn(2, 2, 3, 80, device="cuda", dtype=BF16)
    k, v = torch.randn(2, 2, 2, 3, 80, device="cuda", dtype=BF16)
    rows = [tuple(torch.cat([x[b, :length], new[i]]) for x, new in ((k_cache, k), (v_cache, v)))
            for i, (b, length) in enumerate(zip(entries, lengths))]
    found = flash_attn_with_kvcache(q, k_cache, v_cache, k, v, cache_seqlens=integers(*lengths),
                                    cache_batch_idx=integers(*entries) if numbered else None, causal=True,
                                    return_softmax_lse=True)
    close(found, q, rows, causal=True)
    for i, (b, length) in enumerate(zip(entries, lengths)):
        assert torch.equal(k_cache[b, length:length + 2], k[i]) and torch.equal(v_cache[b, length:length + 2], v[i])


def test_captured_graphs_serve_other_lengths():
    k, v, _ = cache((0, 0), 1024, 2, 128, BF16)
    q = torch.randn(2, 1, 8, 128, device="cuda", dtype=BF16)
    new = torch.randn(2, 2, 1, 2, 128, device="cuda", dtype=BF16)
    cos, sin = angles(1024, 128)
    lengths = integers(0, 0)

    def step():
        return flash_attn_with_kvcache(q, k, v, *new, cos, sin, lengths, causal=True)

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        out = step()
    rows = torch.randn(2, 2, 1024, 2, 128, device="cuda", dtype=BF16)
    for now in ((0, 5), (1000, 1), (300, 1023)):
        k.copy_(rows[0])
        v.copy_(rows[1])
        q.normal_()
        new.normal_()
        lengths.copy_(integers(*now))
        graph.replay()
        replayed, keys = out.clone(), k.clone()
        k.copy_(rows[0])
        v.copy_(rows[1])
        assert torch.equal(step(), replayed) and torch.equal(k, keys)


def test_compiled_functions_have_no_graph_breaks():
    k_cache, v_cache, _ = cache((200, 200), 256, 2, 64, BF16)
    q = torch.randn(2, 2, 4, 64, device="cuda", dtype=BF16)
    k, v = torch.randn(2, 2, 2, 2, 64, device="cuda", dtype=BF16)
    cos, sin = angles(256, 64)
    table = integers(1, 0).view(2, 1)

    def step(q, k, v, k_cache, v_cache, lengths, table):
        out = flash_attn_with_kvcache(q * 2, k_cache, v_cache, k, v, cos, sin, lengths, block_table=table, causal=True)
        return out + 1, lengths + k.shape[1]

    compiled = torch.compile(step, fullgraph=True)
    for pages in (None, table):
        caches = [[x.clone() for x in (k_cache, v_cache)] for _ in range(2)]
        results = [f(q, k, v, *given, integers(3, 100), pages) for f, given in zip((compiled, step), caches)]
        assert torch.equal(results[0][0], results[1][0]) and torch.equal(results[0][1], results[1][1])
        assert all(torch.equal(a.nan_to_num(9), b.nan_to_num(9)) for a, b in zip(*caches))


def test_operators_are_as_pytorch_wants_them():
    k_cache, v_cache, _ = cache((200, 200), 256, 2, 64, BF16)
    q = torch.randn(2, 2, 4, 64, device="cuda", dtype=BF16)
    k, v = torch.randn(2, 2, 2, 2, 64, device="cuda", dtype=BF16)
    cos, sin = angles(256, 64)
    lengths, ops = integers(3, 100), torch.ops.tilewright
    torch.library.opcheck(ops.attention_with_cache.default, (q, k_cache, v_cache, lengths, None, None, None, 0.125,
                                                             True, -1, -1, 0.0, 0))
    k_cache, v_cache = k_cache.nan_to_num(0), v_cache.nan_to_num(0)
    torch.library.opcheck(ops.append_cache.default, (k_cache, v_cache, k, v, lengths, None))
    torch.library.opcheck(ops.append_cache_turned.default, (k_cache, v_cache, k, v, lengths, None, q, cos, sin, True,
                                                            False))
    o, lse = torch.randn(2, 2, 3, 4, 64, device="cuda", dtype=BF16), torch.randn(2, 2, 4, 3, device="cuda")
    torch.library.opcheck(ops.merge_states.default, (o, lse))


@pytest.mark.parametrize("dtype", [BF16, F16, torch.float32])
@pytest.mark.parametrize("states", [1, 2, 8, 9, 40])
def test_states_are_merged(dtype, states):
    o = torch.randn(states, 2, 5, 6, 64, device="cuda", dtype=dtype)
    lse = 3 * torch.randn(states, 2, 6, 5, device="cuda")
    lse[0, 0], o[0, 0] = -math.inf, math.nan
    merged, total = tilewright.merge_states(o, lse)
    logarithms = torch.logsumexp(lse.double(), 0)
    weights = (lse.double() - logarithms).exp().nan_to_num(0).transpose(2, 3)[..., None]
    exact = (weights * o.double().nan_to_num(0)).sum(0)
    assert torch.allclose(total.double(), logarithms, atol=1e-5)
    assert (merged.double() - exact).abs().max() <= 2 * torch.finfo(dtype).eps * exact.abs().max() + 1e-6


def test_a_shared_prefix_is_merged():
    """The prefix's keys are read once: its queries are those of one sequence."""
    prefix = torch.randn(2, 1, 500, 2, 128, device="cuda", dtype=BF16)
    k, v, rows = cache((30, 77, 1), 128, 2, 128, BF16)
    q = torch.randn(3, 1, 8, 128, device="cuda", dtype=BF16)
    shared, of_shared = tilewright.attention(q.transpose(0, 1), *prefix)
    own, of_own = tilewright.attention_with_cache(q, k, v, integers(30, 77, 1))
    merged = tilewright.merge_states([shared.transpose(0, 1), own], [of_shared.permute(2, 1, 0), of_own])
    whole = [tuple(torch.cat([p[0], x]) for p, x in zip(prefix, both)) for both in rows]
    close(merged, q, whole)
