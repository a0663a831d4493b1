"""flex_attention beside its definition in FP64, with PyTorch's block masks, on a GPU."""

import math

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

if torch.cuda.is_available():
    from test_gpu import close, gradients_are_close
    from torch.nn.attention.flex_attention import BlockMask, and_masks, create_block_mask, noop_mask

    from tilewright import _compile, flex_attention

    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("ready-made functions are for SM90", allow_module_level=True)


def causal(b, h, q, k):
    return q >= k


def window(b, h, q, k):
    return (q >= k) & (q - k <= 100)


def prefix(b, h, q, k):
    return (q >= k) | (k < 90)


def functions(name, batch, heads, queries, keys):
    """The functions of a ready-made form, as users write them."""
    torch.manual_seed(7)
    documents = (torch.arange(max(queries, keys), device="cuda") // 150).expand(batch, -1).contiguous()
    slopes = torch.rand(heads, device="cuda") * 0.3
    table = torch.randn(heads, queries + keys - 1, device="cuda")

    def document(b, h, q, k):
        return documents[b, q] == documents[b, k]

    def document_of_token(b, h, q, k):
        return documents[0][q] == documents[0][k]

    def alibi(score, b, h, q, k):
        return score + slopes[h] * (k - q)

    def alibi_of_heads(score, b, h, q, k):
        return score + (k - q) * torch.exp2(-((h + 1) * 8.0 / heads))

    def softcap(score, b, h, q, k):
        return 20 * torch.tanh(score / 20)

    def relative(score, b, h, q, k):
        return score + table[h, k - q + (queries - 1)]

    return {"blocks": (None, noop_mask), "causal": (None, causal), "window": (None, window),
            "prefix": (None, prefix), "document": (None, document),
            "causal-document": (None, and_masks(causal, document)),
            "document-of-token": (None, document_of_token),
            "causal-document-of-token": (None, and_masks(causal, document_of_token)), "alibi": (alibi, None),
            "causal-alibi": (alibi, causal), "alibi-of-heads": (alibi_of_heads, None),
            "causal-alibi-of-heads": (alibi_of_heads, causal), "softcap": (softcap, None),
            "causal-softcap": (softcap, causal), "relative": (relative, None), "causal-relative": (relative, causal),
            "window-softcap": (softcap, window)}[name]


def reference(q, k, v, score_mod, mask_mod, dtype=torch.float64, scale=None):
    """Attention step by step in a type: functions get indices of all pairs at once."""
    q, k, v = (x.to(dtype) for x in (q, k, v))
    sharers = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(sharers, 1), v.repeat_interleave(sharers, 1)
    s = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    indices = [torch.arange(n, device="cuda").view([-1 if i == mode else 1 for i in range(4)])
               for mode, n in enumerate(s.shape)]
    s = s if score_mod is None else score_mod(s, *indices).to(dtype)
    if mask_mod is not None and mask_mod is not noop_mask:
        s = s.masked_fill(~mask_mod(*indices), -math.inf)
    return torch.softmax(s, -1).nan_to_num(0) @ v, torch.logsumexp(s, -1)


def tensors(batch, heads, shared, queries, keys, dim, dtype=torch.bfloat16, grad=True):
    torch.manual_seed(dim + queries)
    return [torch.randn(batch, h, length, dim, device="cuda", dtype=dtype).requires_grad_(grad)
            for h, length in ((heads, queries), (shared, keys), (shared, keys))]


NAMES = ["blocks", "causal", "window", "prefix", "document", "causal-document", "document-of-token",
         "causal-document-of-token", "alibi", "causal-alibi", "alibi-of-heads", "causal-alibi-of-heads", "softcap",
         "causal-softcap", "relative", "causal-relative", "window-softcap"]
HALF = [(name, 128, torch.float16) for name in ("causal", "causal-softcap", "relative")]


@pytest.mark.parametrize("name,dim,dtype", [(name, dim, torch.bfloat16) for name in NAMES for dim in (64, 128)] + HALF)
def test_ready_made_functions(name, dim, dtype):
    for batch, heads, shared, queries, keys in ((2, 4, 4, 384, 384), (1, 8, 2, 333, 500)):
        score_mod, mask_mod = functions(name, batch, heads, queries, keys)
        q, k, v = tensors(batch, heads, shared, queries, keys, dim, dtype)
        blocks = mask_mod and create_block_mask(mask_mod, batch, None, queries, keys, device="cuda")
        o, lse = flex_attention(q, k, v, score_mod, blocks, enable_gqa=heads != shared, return_lse=True)
        wanted, logarithms = reference(q, k, v, score_mod, mask_mod)
        gradients_are_close(o, wanted, reference(q, k, v, score_mod, mask_mod, dtype)[0], (q, k, v))
        assert torch.allclose(lse.double(), logarithms, atol=2e-3)


def test_blocks_that_are_listed_whole_are_not_masked():
    q, k, v = tensors(1, 2, 2, 256, 256, 64)
    blocks = create_block_mask(causal, 1, 1, 256, 256, device="cuda")
    # The whole block above the diagonal, which the function would hide.
    blocks.full_kv_num_blocks[...] = torch.tensor([1, 1], device="cuda")
    blocks.full_kv_indices[..., 0] = torch.tensor([1, 0], device="cuda")
    shown = torch.ones(256, 256, dtype=torch.bool, device="cuda").tril()
    shown[:128, 128:] = True
    wanted, plain = (reference(q, k, v, None, lambda b, h, i, j: shown[i, j], t)[0] for t in (torch.float64, q.dtype))
    close(flex_attention(q, k, v, block_mask=blocks), plain, wanted, "o")


def test_lists_may_have_no_whole_blocks():
    q, k, v = tensors(1, 2, 2, 300, 300, 64)
    counts, indices = torch.tensor([1, 2, 3]), torch.tensor([[0, 0, 0], [1, 0, 0], [0, 2, 1]])
    lists = [x.to("cuda", torch.int32)[None, None] for x in (counts, indices)]
    blocks = BlockMask.from_kv_blocks(*lists, mask_mod=causal)
    wanted, plain = (reference(q, k, v, None, causal, t)[0] for t in (torch.float64, q.dtype))
    gradients_are_close(flex_attention(q, k, v, block_mask=blocks), wanted, plain, (q, k, v))


def test_a_mask_that_changes_is_listed_again():
    q, k, v = tensors(1, 2, 2, 512, 512, 64, grad=False)
    documents = torch.arange(512, device="cuda", dtype=torch.int32).div(200, rounding_mode="floor")[None]

    def document(b, h, i, j):
        return documents[b, i] == documents[b, j]

    for _ in range(2):
        blocks = create_block_mask(document, 1, None, 512, 512, device="cuda")
        for _ in range(2):
            wanted, plain = (reference(q, k, v, None, document, t)[0] for t in (torch.float64, q.dtype))
            close(flex_attention(q, k, v, block_mask=blocks), plain, wanted, "o")
        documents.copy_(documents.flip(-1) // 2)


def test_captured_graphs_replay():
    q, k, v = tensors(1, 4, 4, 256, 256, 64, grad=False)
    blocks = create_block_mask(window, 1, None, 256, 256, device="cuda")
    wanted = flex_attention(q, k, v, block_mask=blocks)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = flex_attention(q, k, v, block_mask=blocks)
    q.copy_(torch.randn_like(q))
    graph.replay()
    assert not torch.equal(found, wanted) and torch.equal(found, flex_attention(q, k, v, block_mask=blocks))


def test_compiled_graphs_have_it_whole():
    q, k, v = tensors(1, 4, 4, 256, 256, 64)
    blocks = create_block_mask(causal, 1, None, 256, 256, device="cuda")

    def f(q, k, v):
        return flex_attention(q * 2, k, v, block_mask=blocks).square().sum()

    torch._dynamo.reset()
    found, wanted = (torch.autograd.grad(g(q, k, v), (q, k, v)) for g in (torch.compile(f, fullgraph=True), f))
    for a, b in zip(found, wanted):
        assert torch.allclose(a.float(), b.float(), atol=0.1, rtol=0.05)


def same(compiled, f, *given):
    assert torch.equal(compiled(*given), f(*given))


def test_compiled_graphs_follow_what_functions_read():
    def capped(cap, slopes):
        return lambda s, b, h, i, j: cap * torch.tanh((s + slopes[h] * (j - i)) / cap)

    def f(q, k, v, score):
        return flex_attention(q, k, v, score)

    torch._dynamo.reset()
    compiled = torch.compile(f, fullgraph=True)
    slopes = torch.rand(4, device="cuda")
    alibi = lambda s, b, h, i, j: s + slopes[h] * (j - i)  # noqa: E731
    for size in (256, 320, 384):
        given = tensors(1, 4, 4, size, size, 64, grad=False)
        same(compiled, f, *given, alibi)
    slopes.mul_(-1)
    same(compiled, f, *given, alibi)
    slopes = torch.rand(4, device="cuda")
    same(compiled, f, *given, alibi)
    for cap in (20, 30, 40.5, 50.5):
        same(compiled, f, *given, lambda s, b, h, i, j: cap * torch.tanh(s / cap))


WIDTH = [100]


def test_compiled_graphs_see_new_globals_and_documents():
    def f(q, k, v, mask):
        return flex_attention(q, k, v, block_mask=mask)

    def narrow(b, h, i, j):
        return (i >= j) & (i - j < WIDTH[0])

    torch._dynamo.reset()
    compiled = torch.compile(f, fullgraph=True)
    given = tensors(2, 4, 2, 256, 256, 64, grad=False)
    given = given[0], *[x.repeat_interleave(2, 1) for x in given[1:]]
    for width in (100, 60):
        WIDTH[0] = width
        same(compiled, f, *given, create_block_mask(narrow, 1, None, 256, 256, device="cuda"))
    for ends in (100, 200):
        documents = (torch.arange(256, device="cuda", dtype=torch.int32) // ends)[None].repeat(2, 1)
        mask = create_block_mask(lambda b, h, i, j: documents[b, i] == documents[b, j], 2, None, 256, 256,
                                 device="cuda")
        same(compiled, f, *given, mask)


def test_graphs_break_where_nobody_can_see_what_changes():
    class Settings:
        cap = 20.0

    settings, flag = Settings(), torch.ones(1, device="cuda")
    q, k, v = tensors(1, 4, 4, 256, 256, 64, grad=False)

    def by_object(s, b, h, i, j):
        return settings.cap * torch.tanh(s / settings.cap)

    def by_host(s, b, h, i, j):
        return (20 if flag.item() > 0 else 30) * torch.tanh(s / 20)

    def inside(q, k, v):
        cap = 20 * q.shape[0]

        def score(s, b, h, i, j):
            return cap * torch.tanh(s / cap)

        return flex_attention(q, k, v, score)

    for score in (by_object, by_host):
        def f(q, k, v):
            return flex_attention(q, k, v, score)

        torch._dynamo.reset()
        compiled = torch.compile(f)
        same(compiled, f, q, k, v)
        Settings.cap = 30.0
        flag.zero_()
        same(compiled, f, q, k, v)
        flag.fill_(1)
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("slopes", torch.rand(4, device="cuda"))

        def score(self, s, b, h, i, j):
            return s + self.slopes[h] * (j - i)

        def forward(self, q, k, v):
            return flex_attention(q, k, v, self.score)

    for f in (inside, Layer()):
        torch._dynamo.reset()
        compiled = torch.compile(f)
        same(compiled, f, q, k, v)
    f.slopes = torch.rand(4, device="cuda")
    same(compiled, f, q, k, v)


def test_without_functions_it_is_attention():
    q, k, v = tensors(2, 4, 2, 200, 300, 64)
    wanted, plain = (reference(q, k, v, None, None, t)[0] for t in (torch.float64, q.dtype))
    gradients_are_close(flex_attention(q, k, v, enable_gqa=True), wanted, plain, (q, k, v))
    o, lse = flex_attention(q, k, v, lambda s, b, h, i, j: s, enable_gqa=True, return_lse=True)
    assert torch.equal(o, flex_attention(q, k, v, enable_gqa=True)) and lse.shape == (2, 4, 200)


def test_operators_keep_their_promises():
    from tilewright import _functions

    q, k, v = (x.transpose(1, 2) for x in tensors(1, 4, 4, 256, 256, 64))
    traced = _functions.Traced(lambda s, b, h, i, j: 20 * torch.tanh(s / 20), None, (1, 4, 256, 256), None)
    torch.library.opcheck(torch.ops.tilewright.flex_forward.default,
                          (q.detach().requires_grad_(), k.detach(), v.detach(), [], [], traced.text, traced.integers,
                           traced.numbers, 0.125))
    options = [], [], traced.text, traced.integers, traced.numbers, 0.125
    o, lse = torch.ops.tilewright.flex_forward(q, k, v, *options)
    torch.library.opcheck(torch.ops.tilewright.flex_backward.default, (o, q, k, v, o, lse, *options),
                          test_utils=("test_schema", "test_autograd_registration", "test_faketensor"))


def test_functions_without_a_kernel_are_compiled_by_java_or_refused():
    q, k, v = tensors(1, 2, 2, 256, 256, 64)
    bias = torch.randn(256, 256, device="cuda", dtype=torch.bfloat16)

    def biased(score, b, h, i, j):
        return torch.where(i - j < 200, score + bias[i, j], score * 0.5)

    if _compile.command() is None:
        with pytest.raises(NotImplementedError, match="TILEWRIGHT_HOME"):
            flex_attention(q, k, v, biased)
        return
    wanted, plain = (reference(q, k, v, biased, None, t)[0] for t in (torch.float64, q.dtype))
    gradients_are_close(flex_attention(q, k, v, biased), wanted, plain, (q, k, v))


def test_what_cannot_be_traced_is_refused():
    q, k, v = tensors(1, 2, 2, 256, 256, 64)
    with pytest.raises(NotImplementedError, match="torch.erf"):
        flex_attention(q, k, v, lambda s, b, h, i, j: torch.erf(s))
    bias = torch.randn(256, 256, device="cuda", requires_grad=True)
    with pytest.raises(NotImplementedError, match="a captured tensor requires a gradient"):
        flex_attention(q, k, v, lambda s, b, h, i, j: s + bias[i, j])
