"""Latent attention on a GPU, beside its definition in FP32: errors are at most 1.5 times those of the same steps in the
tensors' own type.

Needs the wheel, PyTorch and pytest: python -m pytest test_gpu_mla.py
"""

import math

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
                                reason="no GPU of compute capability 9.0")

if torch.cuda.is_available():
    import tilewright
    from tilewright.flash_mla import flash_mla_with_kvcache, get_mla_metadata

    # The definition is FP32's: its products must not be rounded to TF32.
    torch.backends.cuda.matmul.allow_tf32 = False

BF16, F16 = torch.bfloat16, torch.float16
PAGE, DIM, VALUE_DIM = 64, 576, 512


def integers(*numbers):
    return torch.tensor(numbers, dtype=torch.int32, device="cuda")


def entry(q, rows, causal, scale, dtype):
    """Attention of q (queries, heads, 576) on rows (keys, 576), and its logarithms (heads, queries)."""
    q, rows = q.to(dtype), rows.to(dtype)
    s = torch.einsum("qhd,kd->hqk", q, rows) * (DIM ** -0.5 if scale is None else scale)
    if causal:
        queries, keys = s.shape[-2:]
        last = torch.arange(queries, device=q.device)[:, None] + keys - queries
        s = s.masked_fill(torch.arange(keys, device=q.device)[None] > last, -math.inf)
    p = torch.softmax(s, -1).nan_to_num(0)
    return torch.einsum("hqk,kd->qhd", p, rows[:, :VALUE_DIM]), torch.logsumexp(s.float(), -1)


def close(found, q, rows, causal=False, scale=None):
    """Compares output and logarithms."""
    out, lse = found
    for b, of_entry in enumerate(rows):
        (exact, logarithms), (plain, _) = (entry(q[b], of_entry, causal, scale, dtype)
                                           for dtype in (torch.float32, q.dtype))
        error, allowed = ((x.float() - exact).abs().max().item() for x in (out[b], plain))
        least = torch.finfo(out.dtype).eps * exact.abs().max().item()
        assert not out[b].isnan().any() and error <= 1.5 * allowed + least, f"entry {b}: {error}, plain {allowed}"
        assert ((lse[b] == logarithms) | ((lse[b] - logarithms).abs() < 2e-3)).all(), f"logarithms of entry {b}"


def cache(lengths, pages, dtype=BF16, spare=3):
    """Pages in any order, with NaN behind the lengths, their table, and the rows that they hold."""
    count = len(lengths) * pages
    order = torch.randperm(count + spare, device="cuda")[:count]
    rows = torch.randn(len(lengths), pages * PAGE, 1, DIM, device="cuda", dtype=dtype)
    for b, length in enumerate(lengths):
        rows[b, length:] = math.nan
    lying = torch.full((count + spare, PAGE, 1, DIM), math.nan, device="cuda", dtype=dtype)
    lying[order] = rows.view(count, PAGE, 1, DIM)
    return lying, order.view(len(lengths), pages).to(torch.int32), [rows[b, :n, 0] for b, n in enumerate(lengths)]


def queries_of(lengths, queries, heads, dtype=BF16):
    return torch.randn(len(lengths), queries, heads, DIM, device="cuda", dtype=dtype)


def decode(q, pages, table, lengths, causal=False, **options):
    metadata, splits = get_mla_metadata(lengths, q.shape[1] * q.shape[2], 1)
    return flash_mla_with_kvcache(q, pages, table, lengths, VALUE_DIM, metadata, splits, causal=causal, **options)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(33)


LENGTHS = [(1000,), (1, 64, 65, 513), (0, 17, 128), (3000, 3) + (200,) * 20]


@pytest.mark.parametrize("lengths", LENGTHS, ids=lambda lengths: f"{len(lengths)}x{max(lengths)}")
@pytest.mark.parametrize("heads", [8, 16, 32, 64, 128, 192])
@pytest.mark.parametrize("queries", [1, 2, 5])
def test_pages_with_lengths(lengths, heads, queries):
    pages, table, rows = cache(lengths, 48)
    q = queries_of(lengths, queries, heads)
    for causal in (False, True):
        close(decode(q, pages, table, integers(*lengths), causal), q, rows, causal)


@pytest.mark.parametrize("heads", [8, 16, 32, 64, 128])
def test_halves_and_scales(heads):
    lengths = (700, 150, 333)
    pages, table, rows = cache(lengths, 12, F16)
    q = queries_of(lengths, 3, heads, F16)
    close(decode(q, pages, table, integers(*lengths), True, softmax_scale=192 ** -0.5), q, rows, True, 192 ** -0.5)


def test_a_long_cache():
    pages, table, rows = cache((131072,), 2048)
    q = queries_of((1,), 1, 16)
    close(decode(q, pages, table, integers(131072)), q, rows)


def test_a_large_batch_of_any_lengths():
    lengths = [int(2 ** (6 + 6 * i / 99)) for i in torch.randperm(100).tolist()]
    pages, table, rows = cache(lengths, 64)
    q = queries_of(lengths, 1, 128)
    close(decode(q, pages, table, integers(*lengths)), q, rows)


def test_a_schedule_serves_layers_with_other_numbers():
    lengths = (900, 5, 2000, 77)
    metadata, splits = get_mla_metadata(integers(*lengths), 32, 1)
    for _ in range(3):
        pages, table, rows = cache(lengths, 32)
        q = queries_of(lengths, 2, 16)
        found = flash_mla_with_kvcache(q, pages, table, integers(*lengths), VALUE_DIM, metadata, splits, causal=True)
        close(found, q, rows, True)
        # A schedule that was copied serves as well, and none is computed.
        for other in (metadata.contiguous(), None):
            assert torch.equal(found[0], tilewright.mla_decode(q, pages, table, integers(*lengths), other,
                                                               causal=True)[0])


def test_strides_of_queries_and_of_a_cache():
    lengths = (300, 40)
    pages, table, rows = cache(lengths, 8)
    wide = torch.full((pages.shape[0], PAGE, 1, DIM + 64), math.nan, device="cuda", dtype=BF16)
    wide[..., :DIM] = pages
    q = queries_of(lengths, 2, 16)
    by_head = q.transpose(1, 2).contiguous().transpose(1, 2)
    unaligned = torch.randn(2 * 2 * 16 * DIM + 1, device="cuda").to(BF16)[1:].view(q.shape).copy_(q)
    for given in (q, by_head, unaligned):
        close(decode(given, wide[..., :DIM], table, integers(*lengths), True), q, rows, True)


def chosen(q, tokens, topk, kind):
    """Indices (batch, queries, topk), with places that have none between others, behind them, or everywhere."""
    indices = torch.randint(tokens, (*q.shape[:2], topk), dtype=torch.int32, device="cuda")
    if kind == "between":
        indices[torch.rand(indices.shape, device="cuda") < 0.3] = -1
    elif kind == "behind":
        indices[..., topk // 3:] = -1
    elif kind == "twice":
        indices[..., topk // 2:2 * (topk // 2)] = indices[..., :topk // 2]
    elif kind == "none":
        indices[:, -1] = -1
    return indices


def close_chosen(found, q, pages, indices):
    """Compares each query with its own attention on the rows that it has chosen."""
    rows, (out, lse) = pages.flatten(0, 1)[:, 0], found
    queries = [(b, i) for b in range(q.shape[0]) for i in range(q.shape[1])]
    of_each = [rows[indices[b, i][indices[b, i] >= 0].long()] for b, i in queries]
    each = torch.stack([q[b, i:i + 1] for b, i in queries])
    close((torch.stack([out[b, i:i + 1] for b, i in queries]), torch.stack([lse[b, :, i:i + 1] for b, i in queries])),
          each, of_each)


@pytest.mark.parametrize("kind", ["all", "between", "behind", "twice", "none"])
@pytest.mark.parametrize("heads", [8, 16, 64, 128])
@pytest.mark.parametrize("batch, queries, topk", [(1, 1, 2048), (3, 2, 150), (40, 1, 64)])
def test_tokens_that_queries_choose(batch, queries, topk, heads, kind):
    pages = torch.randn(100, PAGE, 1, DIM, device="cuda", dtype=BF16)
    q = queries_of((1,) * batch, queries, heads)
    indices = chosen(q, 100 * PAGE, topk, kind)
    pages.flatten(0, 1)[~torch.isin(torch.arange(100 * PAGE, device="cuda"), indices)] = math.nan
    metadata, splits = get_mla_metadata(integers(*(1,) * batch), queries * heads, 1, heads, topk=topk)
    found = flash_mla_with_kvcache(q, pages, None, None, VALUE_DIM, metadata, splits, indices=indices)
    close_chosen(found, q, pages, indices)
    used = max(1, topk // 2)
    lengths = torch.full((batch,), used, dtype=torch.int32, device="cuda")
    close_chosen(tilewright.mla_decode(q, pages, None, lengths, indices=indices), q, pages, indices[..., :used])


def test_captured_graphs_serve_other_tokens():
    pages = torch.randn(30, PAGE, 1, DIM, device="cuda", dtype=BF16)
    q = queries_of((1, 1), 2, 16)
    indices = chosen(q, 30 * PAGE, 300, "all")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        tilewright.mla_decode(q, pages, None, None, indices=indices)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        found = tilewright.mla_decode(q, pages, None, None, indices=indices)
    for kind in ("between", "behind", "none"):
        indices.copy_(chosen(q, 30 * PAGE, 300, kind))
        graph.replay()
        close_chosen(found, q, pages, indices)


def test_captured_graphs_serve_other_lengths():
    pages, table, _ = cache((4096, 4096, 4096), 64)
    q, lengths = queries_of((1, 1, 1), 2, 16), integers(1, 1, 1)

    def step():
        return decode(q, pages, table, lengths, True)

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        out, lse = step()
    for now in ((2, 4096, 100), (4096, 4096, 4096), (0, 1, 0), (1000, 63, 2048)):
        q.normal_()
        lengths.copy_(integers(*now))
        graph.replay()
        rows = [pages[table[b].long()].flatten(0, 1)[:n, 0] for b, n in enumerate(now)]
        close((out, lse), q, rows, True)
        assert torch.equal(step()[0], out)


def test_compiled_functions_have_no_graph_breaks():
    lengths = (200, 33)
    pages, table, _ = cache(lengths, 4)
    q = queries_of(lengths, 2, 16)

    def step(q, pages, table, lengths):
        metadata, splits = get_mla_metadata(lengths, 32, 1)
        out, lse = flash_mla_with_kvcache(q * 2, pages, table, lengths, VALUE_DIM, metadata, splits, causal=True)
        return out + 1, lse

    compiled = torch.compile(step, fullgraph=True)
    for found, wanted in zip(compiled(q, pages, table, integers(*lengths)), step(q, pages, table, integers(*lengths))):
        assert torch.equal(found, wanted)


def test_operators_are_as_pytorch_wants_them():
    lengths = (200, 33)
    pages, table, _ = cache(lengths, 4)
    q, ops = queries_of(lengths, 2, 16), torch.ops.tilewright
    torch.library.opcheck(ops.mla_schedule.default, (integers(*lengths), 32))
    schedule = tilewright.mla_schedule(integers(*lengths), 32)
    torch.library.opcheck(ops.mla_decode.default, (q, pages.nan_to_num(0), table, integers(*lengths), schedule, 0.05,
                                                   True))


def test_nothing_is_there_for_nothing():
    pages, table, _ = cache((5, 5), 1)
    for q in (torch.empty(0, 1, 16, DIM, device="cuda", dtype=BF16), torch.empty(2, 0, 16, DIM, device="cuda",
                                                                                dtype=BF16)):
        out, lse = tilewright.mla_decode(q, pages, table[:q.shape[0]], integers(5, 5)[:q.shape[0]])
        assert out.shape == (*q.shape[:3], VALUE_DIM) and lse.shape == (q.shape[0], 16, q.shape[1])
