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


def codes_of_tokens(x):
    """Codes and factors of rows (..., dim), and the rows that they stand for."""
    factors = (x.float().abs().amax(-1) / 448).clamp(2.0**-20, 2.0**7)
    codes = (x.float() / factors[..., None]).to(E4M3)
    return codes, factors, codes.double() * factors.double()[..., None]


def cache_of_tokens(lengths, room, shared, dim):
    """A cache whose rows have magnitudes from 2^-8 to 2^8, codes and factors NaN behind the lengths."""
    both = []
    for _ in range(2):
        x = torch.randn(len(lengths), room, shared, dim, device="cuda")
        magnitudes = torch.exp2(torch.randint(-8, 9, x.shape[:3], device="cuda").float())
        codes, factors, rows = codes_of_tokens(x * magnitudes[..., None])
        for b, length in enumerate(lengths):
            codes.view(torch.uint8)[b, length:], factors[b, length:] = 0x7f, math.nan
        both.append((codes, factors, rows))
    (k, k_factors, ofK), (v, v_factors, ofV) = both
    return k, v, k_factors, v_factors, [(ofK[b, :n], ofV[b, :n]) for b, n in enumerate(lengths)]


def in_pages(x, page, order):
    """The rows of a cache or its factors in pages of that order."""
    pages = torch.empty_like(x).view(-1, page, *x.shape[2:])
    raw = torch.uint8 if x.dtype == E4M3 else x.dtype
    pages.view(raw)[order] = x.view(raw).reshape(-1, page, *x.shape[2:])
    return pages


@pytest.mark.parametrize("lengths", LENGTHS, ids=lambda lengths: f"{len(lengths)}x{max(lengths)}")
@pytest.mark.parametrize("heads", [(8, 8), (8, 2), (64, 8), (10, 2)])
@pytest.mark.parametrize("queries", [1, 3, 16])
@pytest.mark.parametrize("page", [0, 16, 64])
@pytest.mark.parametrize("dim", [64, 128])
def test_factors_of_tokens(lengths, heads, queries, page, dim):
    if queries > 1 and heads[0] // heads[1] not in (4, 8):
        pytest.skip("several queries need four or eight heads for each of keys")
    k, v, k_factors, v_factors, rows = cache_of_tokens(lengths, 3008, heads[1], dim)
    q, table = torch.randn(len(lengths), queries, heads[0], dim, device="cuda", dtype=BF16), None
    if page:
        order = torch.randperm(len(lengths) * 3008 // page, device="cuda")
        k, v, k_factors, v_factors = (in_pages(x, page, order) for x in (k, v, k_factors, v_factors))
        table = order.view(len(lengths), -1).to(torch.int32)
    for causal in (False, True) if queries == 1 else (True,):
        close(flash_attn_with_kvcache(q, k, v, cache_seqlens=integers(*lengths), block_table=table, causal=causal,
                                      k_descale=k_factors, v_descale=v_factors, return_softmax_lse=True), q, rows,
              causal)


def half_units(found, wanted, factors):
    """Whether codes times factors are within half a unit in the last place of the numbers that they were made of."""
    allowed = wanted.double().abs() * 2.0**-4 + factors.double()[..., None] * 2.0**-10
    return bool(((found - wanted.double()).abs() <= allowed * (1 + 1e-6)).all())


@pytest.mark.parametrize("kind", ["tokens", "heads", "one"])
@pytest.mark.parametrize("page", [0, 16, 64])
@pytest.mark.parametrize("queries,tokens", [(1, 1), (4, 4), (1, 70)])
@pytest.mark.parametrize("dim,columns", [(64, 32), (128, 128), (128, 64), (128, 0)])
def test_new_tokens_become_codes(kind, page, queries, tokens, dim, columns):
    lengths, room, shared = (0, 15, 200), 320, 2
    k, v, k_factors, v_factors, rows = cache_of_tokens(lengths, room, shared, dim)
    if kind != "tokens":
        ones = torch.ones(3, shared, device="cuda") if kind == "heads" else torch.ones(1, device="cuda")
        k_factors, v_factors = 0.25 * ones, 0.5 * ones
        spread = [torch.broadcast_to(x if kind == "heads" else x[:, None], (3, shared)) for x in (k_factors, v_factors)]
        rows = [tuple(x[b, :n].double() * f[b].double()[:, None] for x, f in zip((k, v), spread))
                for b, n in enumerate(lengths)]
    q = torch.randn(3, queries, 8, dim, device="cuda", dtype=BF16)
    new = [torch.randn(3, tokens, shared, dim, device="cuda", dtype=BF16) for _ in range(2)]
    angle = torch.arange(room, device="cuda")[:, None] * 10000.0 ** (
        -2 * torch.arange(max(1, columns // 2), device="cuda") / max(1, columns))
    given, table = [k, v, k_factors, v_factors], None
    if page:
        order = torch.randperm(3 * room // page, device="cuda")
        given = [in_pages(x, page, order) if x.dim() > 2 else x for x in given]
        table = order.view(3, -1).to(torch.int32)
    tables = (angle.cos(), angle.sin()) if columns else (None, None)
    found = flash_attn_with_kvcache(q, *given[:2], *new, *tables, integers(*lengths), block_table=table, causal=True,
                                    rotary_interleaved=False, k_descale=given[2], v_descale=given[3],
                                    return_softmax_lse=True)
    full, turns = [], []
    for b, length in enumerate(lengths):
        def turn(x):
            if not columns:
                return x
            c, s = (t[length:length + x.shape[0], None] for t in tables)
            a, d, rest = x.float().split((columns // 2, columns // 2, x.shape[-1] - columns), -1)
            return torch.cat([a * c - d * s, d * c + a * s, rest], -1)
        both = []
        for x, factors, wanted, old in zip(given[:2], given[2:], (turn(new[0][b]), new[1][b]), rows[b]):
            x = x[table[b].long()].flatten(0, 1) if page else x[b]
            if kind == "tokens":
                factors = factors[table[b].long()].flatten(0, 1) if page else factors[b]
                assert factors[length + tokens:].isnan().all()
                factors = factors[:length + tokens]
                largest = wanted.float().abs().amax(-1) / 448
                assert ((factors[length:] - largest).abs() <= 1e-6 * largest).all()
            else:
                factors = torch.broadcast_to(factors if kind == "one" else factors[b], (length + tokens, shared))
            stand_for = x[:length + tokens].double() * factors.double()[..., None]
            assert torch.equal(stand_for[:length], old) and half_units(stand_for[length:], wanted, factors[length:])
            both.append(stand_for)
        full.append(tuple(both))
        turns.append(turn(q[b]).to(BF16))
    close(found, torch.stack(turns), full, True)


def test_operators_of_codes_are_as_their_schemas_say():
    k, v, k_factors, v_factors, _ = cache_of_tokens((3, 0), 64, 2, 64)
    new = [torch.randn(2, 5, 2, 64, device="cuda", dtype=BF16) for _ in range(2)]
    ops, ones = torch.ops.tilewright, torch.ones(2, 2, device="cuda")
    tensors = k.view(torch.uint8), v.view(torch.uint8), *new, integers(3, 0), None
    q = torch.randn(2, 5, 8, 64, device="cuda", dtype=BF16)
    cos, sin = torch.rand(2, 64, 32, device="cuda")
    for operator, rest in [(ops.append_codes, (ones, ones.clone())),
                           (ops.append_codes_of_tokens, (k_factors, v_factors)),
                           (ops.append_codes_of_tokens_turned, (k_factors, v_factors, q, cos, sin, True, False))]:
        torch.library.opcheck(operator.default, (*tensors, *rest))


def test_captured_graphs_append_codes_of_tokens():
    k, v, k_factors, v_factors, rows = cache_of_tokens((4000, 100), 4096, 2, 128)
    lengths, side = integers(0, 0), torch.cuda.Stream()
    q = torch.randn(2, 1, 8, 128, device="cuda", dtype=BF16)
    new = torch.randn(2, 2, 1, 2, 128, device="cuda", dtype=BF16)

    def step():
        return flash_attn_with_kvcache(q, k, v, *new, cache_seqlens=lengths, k_descale=k_factors, v_descale=v_factors,
                                       return_softmax_lse=True)

    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        found = step()
    for now in ((4000, 100), (17, 99)):
        new.normal_()
        lengths.copy_(integers(*now))
        graph.replay()
        stand_for = [x.double() * f.double()[..., None] for x, f in ((k, k_factors), (v, v_factors))]
        close(found, q, [tuple(x[b, :n + 1] for x in stand_for) for b, n in enumerate(now)])
