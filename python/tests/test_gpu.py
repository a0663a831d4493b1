"""Operators beside PyTorch's, on a GPU: errors are at most 1.5 times those of PyTorch, both from FP64."""

import math
import threading

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

if torch.cuda.is_available():
    import tilewright
    from tilewright import (flash_attn_func, flash_attn_qkvpacked_func, flash_attn_varlen_func,
                            flash_attn_varlen_qkvpacked_func)


def reference(q, k, v, causal=False, window=(-1, -1), scale=None, dtype=torch.float64, softcap=0.0, slopes=None):
    """Attention step by step in a type, and the logarithms in it; slopes are of (batch, heads)."""
    q, k, v = (x.to(dtype) for x in (q, k, v))
    sharers = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(sharers, 2), v.repeat_interleave(sharers, 2)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = softcap * torch.tanh(s / softcap) if softcap else s
    queries, keys = s.shape[-2:]
    distance = torch.arange(keys, device=q.device)[None] - torch.arange(queries, device=q.device)[:, None] - (
        keys - queries)
    if slopes is not None:
        s = s - slopes.to(dtype)[:, :, None, None] * distance.abs()
    left, right = window[0], 0 if causal else window[1]
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    if right >= 0:
        hidden |= distance > right
    if left >= 0:
        hidden |= distance < -left
    s = s.masked_fill(hidden, -math.inf)
    p = torch.softmax(s, -1).nan_to_num(0)
    return torch.einsum("bhqk,bkhd->bqhd", p, v), torch.logsumexp(s, -1)


def tensors(batch, queries, keys, heads, shared, dim, dtype, grad=False):
    torch.manual_seed(batch + queries + keys + dim)
    shapes = ((batch, queries, heads, dim), (batch, keys, shared, dim), (batch, keys, shared, dim))
    return [torch.randn(shape, device="cuda", dtype=dtype).requires_grad_(grad) for shape in shapes]


def close(ours, plain, exact, name):
    error, allowed = ((x.double() - exact).abs().max().item() for x in (ours, plain))
    least = torch.finfo(ours.dtype).eps * exact.abs().max().item()
    assert error <= 1.5 * allowed + least, f"{name}: error {error}, PyTorch's {allowed}"


MASKS = [(False, (-1, -1)), (True, (-1, -1)), (False, (100, 30)), (True, (77, 0)), (False, (50, -1))]
SIZES = [(2, 512, 512, 8, 8), (1, 333, 777, 8, 2), (3, 1, 1000, 8, 1), (2, 64, 64, 4, 4), (1, 2048, 2048, 4, 4)]


@pytest.mark.parametrize("dim", [32, 64, 80, 96, 128, 160, 192, 256])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_forward_by_head_dimension(dim, dtype):
    for causal, window in MASKS[:3]:
        q, k, v = tensors(2, 500, 600, 4, 2, dim, dtype)
        o, lse, _ = flash_attn_func(q, k, v, causal=causal, window_size=window, return_attn_probs=True)
        exact, logarithms = reference(q, k, v, causal, window)
        close(o, reference(q, k, v, causal, window, dtype=dtype)[0], exact, f"{dim} {causal} {window}")
        assert torch.allclose(lse.double(), logarithms, atol=1e-3)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("causal,window", MASKS)
def test_gradients(size, causal, window):
    q, k, v = tensors(*size, 64, torch.bfloat16, grad=True)
    o = flash_attn_func(q, k, v, causal=causal, window_size=window)
    do = torch.randn_like(o)
    ours = torch.autograd.grad(o, (q, k, v), do)
    exact = torch.autograd.grad(reference(q, k, v, causal, window)[0], (q, k, v), do.double())
    plain = torch.autograd.grad(reference(q, k, v, causal, window, dtype=torch.bfloat16)[0], (q, k, v), do)
    for name, a, b, c in zip(("dq", "dk", "dv"), ours, plain, exact):
        assert torch.isfinite(a).all()
        close(a, b, c.double(), name)


@pytest.mark.parametrize("dim", [64, 80, 96, 128, 192, 256])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_by_head_dimension(dim, dtype):
    q, k, v = tensors(2, 300, 300, 4, 4, dim, dtype, grad=True)
    o = flash_attn_func(q, k, v, causal=True)
    do = torch.randn_like(o)
    ours = torch.autograd.grad(o, (q, k, v), do)
    exact = torch.autograd.grad(reference(q, k, v, True)[0], (q, k, v), do.double())
    plain = torch.autograd.grad(reference(q, k, v, True, dtype=dtype)[0], (q, k, v), do)
    for name, a, b, c in zip(("dq", "dk", "dv"), ours, plain, exact):
        close(a, b, c.double(), name)


@pytest.mark.parametrize("causal,window", MASKS)
@pytest.mark.parametrize("dim", [64, 128])
def test_packed_sequences(causal, window, dim):
    lengths = [(70, 70), (1, 300), (513, 600), (128, 128)]
    cu_q, cu_k = ([0], [0])
    for a, b in lengths:
        cu_q.append(cu_q[-1] + a)
        cu_k.append(cu_k[-1] + b)
    torch.manual_seed(5)
    q = torch.randn(cu_q[-1], 8, dim, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    k, v = (torch.randn(cu_k[-1], 2, dim, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
    sums = [torch.tensor(x, dtype=torch.int32, device="cuda") for x in (cu_q, cu_k)]
    o, lse, _ = flash_attn_varlen_func(q, k, v, *sums, 513, 600, causal=causal, window_size=window,
                                       return_attn_probs=True)
    do = torch.randn_like(o)
    ours = torch.autograd.grad(o, (q, k, v), do)
    assert lse.shape == (8, cu_q[-1])

    def by_sequence(dtype):
        parts = [reference(q[None, a:b], k[None, c:d], v[None, c:d], causal, window, dtype=dtype)[0][0]
                 for a, b, c, d in zip(cu_q, cu_q[1:], cu_k, cu_k[1:])]
        whole = torch.cat(parts)
        return whole, torch.autograd.grad(whole, (q, k, v), do.to(whole.dtype))

    (exact, gradients), (plain, others) = by_sequence(torch.float64), by_sequence(torch.bfloat16)
    close(o, plain, exact, "o")
    for name, a, b, c in zip(("dq", "dk", "dv"), ours, others, gradients):
        close(a, b, c.double(), name)


@pytest.mark.parametrize("softcap", [3.0, 50.0])
def test_capped_scores(softcap):
    q, k, v = tensors(2, 200, 300, 4, 2, 128, torch.bfloat16, grad=True)
    o = flash_attn_func(q, k, v, causal=True, softcap=softcap)
    do = torch.randn_like(o)
    exact, plain = (reference(q, k, v, True, dtype=t, softcap=softcap)[0] for t in (torch.float64, torch.bfloat16))
    close(o, plain, exact, "o")
    ours, wanted, others = (torch.autograd.grad(x, (q, k, v), do.to(x.dtype)) for x in (o, exact, plain))
    for name, a, b, c in zip(("dq", "dk", "dv"), ours, others, wanted):
        close(a, b, c.double(), name)


def gradients_are_close(o, wanted, plain, inputs):
    close(o, plain, wanted, "o")
    do = torch.randn_like(o)
    ours, exact, others = (torch.autograd.grad(x, inputs, do.to(x.dtype)) for x in (o, wanted, plain))
    for name, a, b, c in zip(("dq", "dk", "dv"), ours, others, exact):
        close(a, b, c.double(), name)


@pytest.mark.parametrize("causal,window", MASKS[:3])
@pytest.mark.parametrize("dim", [64, 80, 256])
@pytest.mark.parametrize("per_batch", [False, True])
def test_alibi(causal, window, dim, per_batch):
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("for SM90")
    q, k, v = tensors(2, 300, 420, 8, 2, dim, torch.bfloat16, grad=True)
    slopes = 0.3 * torch.rand(*([2] if per_batch else []), 8, device="cuda")
    both = slopes.expand(2, 8)
    wanted, plain = (reference(q, k, v, causal, window, dtype=t, slopes=both)[0] for t in (torch.float64, q.dtype))
    o, lse, _ = flash_attn_func(q, k, v, causal=causal, window_size=window, alibi_slopes=slopes,
                                return_attn_probs=True)
    gradients_are_close(o, wanted, plain, (q, k, v))
    assert torch.allclose(lse.double(), reference(q, k, v, causal, window, slopes=both)[1], atol=1e-3)


def test_alibi_of_packed_sequences_is_aligned_at_their_ends():
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("for SM90")
    lengths, seen = [100, 1, 300], [250, 40, 130]
    cu_q, cu_k = (torch.tensor([0, *x], device="cuda").cumsum(0, dtype=torch.int32) for x in (lengths, seen))
    q, k, v = (torch.randn(sum(n), 8, 64, device="cuda", dtype=torch.bfloat16) for n in (lengths, seen, seen))
    slopes = 0.3 * torch.rand(3, 8, device="cuda")
    o = flash_attn_varlen_func(q, k, v, cu_q, cu_k, 300, 250, alibi_slopes=slopes)
    for i in range(3):
        a, b, c, d = *cu_q[i:i + 2].tolist(), *cu_k[i:i + 2].tolist()
        part = q[None, a:b], k[None, c:d], v[None, c:d]
        exact, plain = (reference(*part, dtype=t, slopes=slopes[i:i + 1])[0] for t in (torch.float64, q.dtype))
        close(o[None, a:b], plain, exact, f"sequence {i}")


@pytest.mark.parametrize("dim,value_dim", [(192, 128), (64, 32), (40, 72)])
def test_values_of_another_head_dimension(dim, value_dim):
    q, k, _ = tensors(2, 300, 300, 4, 2, dim, torch.bfloat16, grad=True)
    v = torch.randn(2, 300, 2, value_dim, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    wanted, plain = (reference(q, k, v, True, dtype=t)[0] for t in (torch.float64, q.dtype))
    gradients_are_close(flash_attn_func(q, k, v, causal=True), wanted, plain, (q, k, v))


def test_packed_sequences_in_one_tensor():
    qkv = torch.randn(500, 3, 4, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    cu = torch.tensor([0, 200, 500], dtype=torch.int32, device="cuda")
    o = flash_attn_varlen_qkvpacked_func(qkv, cu, 300, causal=True)
    apart = flash_attn_varlen_func(*qkv.unbind(1), cu, cu, 300, 300, causal=True)
    assert torch.equal(o, apart) and torch.autograd.grad(o.sum(), qkv)[0].shape == qkv.shape


def test_windows_may_be_tensors():
    q, k, v = tensors(1, 200, 200, 4, 4, 64, torch.bfloat16)
    assert torch.equal(flash_attn_func(q, k, v, window_size=torch.tensor([30, 5])),
                       flash_attn_func(q, k, v, window_size=(30, 5)))


def test_a_batch_of_vmap_is_more_entries():
    q, k, v = (torch.randn(3, 2, 100, 4, 64, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    found = torch.vmap(lambda q, k, v: flash_attn_func(q, k, v, causal=True), in_dims=(0, 0, 0))(q, k, v)
    assert torch.equal(found, flash_attn_func(*(x.flatten(0, 1) for x in (q, k, v)), causal=True).unflatten(0, (3, 2)))
    shared = torch.vmap(lambda q: flash_attn_func(q, k[0], v[0]), in_dims=1, out_dims=1)(q.transpose(0, 1))
    assert torch.equal(shared[:, 1], flash_attn_func(q[1], k[0], v[0]))


def test_exported_programs_have_the_operator():
    class Attention(torch.nn.Module):
        def forward(self, q, k, v):
            return flash_attn_func(q, k, v, causal=True)

    q, k, v = tensors(2, 128, 128, 4, 2, 64, torch.bfloat16)
    program = torch.export.export(Attention(), (q, k, v))
    assert any("tilewright.attention_forward" in str(node.target) for node in program.graph.nodes)
    assert torch.equal(program.module()(q, k, v), flash_attn_func(q, k, v, causal=True))


def test_views_need_no_copies():
    qkv = torch.randn(2, 400, 3, 8, 64, device="cuda", dtype=torch.bfloat16)
    exact = reference(*qkv.unbind(2), True)[0]
    close(flash_attn_qkvpacked_func(qkv, causal=True), reference(*qkv.unbind(2), True, dtype=qkv.dtype)[0], exact, "o")


def test_a_fixed_order_gives_the_same_bits():
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("for SM90")
    q, k, v = tensors(2, 1000, 1000, 8, 2, 128, torch.bfloat16, grad=True)
    do = torch.randn_like(q)
    runs = [torch.autograd.grad(flash_attn_func(q, k, v, causal=True, deterministic=True), (q, k, v), do)
            for _ in range(3)]
    assert all(torch.equal(a, b) for run in runs for a, b in zip(run, runs[0]))


def test_sdpa_takes_the_place_of_pytorchs():
    q, k, v = (x.transpose(1, 2) for x in tensors(2, 256, 256, 8, 8, 64, torch.float16))
    ours = tilewright.sdpa(q, k, v, is_causal=True)
    exact = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True)
    close(ours, torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), exact, "o")


@pytest.mark.parametrize("batch,queries,keys,heads", [(2, 0, 5, 4), (2, 5, 0, 4), (0, 5, 5, 4), (2, 5, 5, 0)])
@pytest.mark.parametrize("dim", [64, 72])
def test_nothing_gives_nothing(batch, queries, keys, heads, dim):
    q, k, v = tensors(batch, queries, keys, heads, heads, dim, torch.bfloat16, grad=True)
    o, lse, _ = flash_attn_func(q, k, v, return_attn_probs=True)
    assert o.shape == q.shape and not o.any() and (lse == -math.inf).all()
    assert not any(g.any() for g in torch.autograd.grad(o.sum(), (q, k, v)))
    torch.cuda.synchronize()


@pytest.mark.parametrize("queries,keys", [([], []), ([0, 0], [0, 0]), ([3, 2], [0, 0]), ([0, 0], [3, 2]),
                                          ([3, 0, 200], [3, 5, 200]), ([3, 5, 200], [3, 0, 200])])
def test_packed_sequences_of_nothing(queries, keys):
    cu_q, cu_k = (torch.tensor([0, *x], device="cuda").cumsum(0, dtype=torch.int32) for x in (queries, keys))
    q, k, v = (torch.randn(sum(n), 4, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
               for n in (queries, keys, keys))
    o, lse, _ = flash_attn_varlen_func(q, k, v, cu_q, cu_k, max(queries, default=0), max(keys, default=0),
                                       causal=True, return_attn_probs=True)
    gradients = torch.autograd.grad(o.sum(), (q, k, v))
    for i, (rows, seen) in enumerate(zip(queries, keys)):
        a, c = cu_q[i], cu_k[i]
        exact, logarithms = reference(q[None, a:a + rows], k[None, c:c + seen], v[None, c:c + seen], True)
        assert torch.allclose(o[a:a + rows].double(), exact[0], atol=0.05)
        assert torch.allclose(lse[:, a:a + rows].double(), logarithms[0], atol=1e-3)
        if not rows or not seen:
            parts = (gradients[0][a:a + rows], *(g[c:c + seen] for g in gradients[1:]))
            assert not any(part.any() for part in parts)
    assert all(torch.isfinite(g).all() for g in gradients)


@pytest.mark.parametrize("change", [
    lambda x: torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape),
    lambda x: x.transpose(-1, -2).contiguous().transpose(-1, -2),
    lambda x: torch.nn.functional.pad(x, (0, 1))[..., :-1],
    lambda x: x[:, :, :1].expand(x.shape),
    lambda x: x.repeat_interleave(2, -1)[..., ::2],
], ids=["unaligned", "strided", "odd", "expanded", "every second"])
def test_tensors_of_any_layout(change):
    q, k, v = (change(x).detach().requires_grad_() for x in tensors(2, 70, 90, 4, 4, 64, torch.bfloat16))
    whole = [x.detach().contiguous().clone().requires_grad_() for x in (q, k, v)]
    o, wanted = flash_attn_func(q, k, v, causal=True), flash_attn_func(*whole, causal=True)
    assert torch.equal(o, wanted)
    do = change(torch.randn_like(wanted))
    for a, b in zip(torch.autograd.grad(o, (q, k, v), do), torch.autograd.grad(wanted, whole, do.contiguous())):
        assert torch.allclose(a, b, atol=0.05, rtol=0.05)


def test_compiled_functions_have_no_graph_breaks():
    def f(q, k, v):
        return flash_attn_func(q * 2, k, v, causal=True).square().sum()

    q, k, v = tensors(1, 128, 128, 4, 4, 64, torch.bfloat16, grad=True)
    wanted = torch.autograd.grad(f(q, k, v), (q, k, v))
    found = torch.autograd.grad(torch.compile(f, fullgraph=True)(q, k, v), (q, k, v))
    for a, b in zip(found, wanted):
        assert torch.allclose(a.float(), b.float(), atol=0.1, rtol=0.05)


def test_operators_keep_their_promises():
    q, k, v = tensors(1, 128, 128, 4, 4, 64, torch.bfloat16, grad=True)
    torch.library.opcheck(torch.ops.tilewright.attention_forward.default,
                          (q, k, v, None, 0.125, True, -1, -1, False, 0.0))
    cu = torch.tensor([0, 60, 128], dtype=torch.int32, device="cuda")
    flat = [x[0].detach().requires_grad_() for x in (q, k, v)]
    torch.library.opcheck(torch.ops.tilewright.attention_varlen_forward.default,
                          (*flat, cu, cu, 68, 68, None, 0.125, True, -1, -1, False, 0.0))


def test_operators_of_gradients_keep_their_promises():
    q, k, v = tensors(1, 128, 128, 4, 4, 64, torch.bfloat16)
    options = (None, 0.125, True, -1, -1, False, 0.0)
    o, lse = torch.ops.tilewright.attention_forward(q, k, v, *options)
    torch.library.opcheck(torch.ops.tilewright.attention_backward.default, (o, q, k, v, o, lse, *options),
                          test_utils=("test_schema", "test_autograd_registration", "test_faketensor"))
    cu = torch.tensor([0, 60, 128], dtype=torch.int32, device="cuda")
    flat, lengths = [x[0] for x in (q, k, v)], (cu, cu, 68, 68)
    o, lse = torch.ops.tilewright.attention_varlen_forward(*flat, *lengths, *options)
    torch.library.opcheck(torch.ops.tilewright.attention_varlen_backward.default, (o, *flat, o, lse, *lengths, *options),
                          test_utils=("test_schema", "test_autograd_registration", "test_faketensor"))


def test_gradients_through_operators_are_those_of_functions():
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("a fixed order is for SM90")
    q, k, v = tensors(2, 100, 130, 4, 2, 64, torch.bfloat16, grad=True)
    do = torch.randn_like(q)
    o, _ = torch.ops.tilewright.attention_forward(q, k, v, None, 0.125, True, -1, -1, True, 0.0)
    function = flash_attn_func(q, k, v, causal=True, softmax_scale=0.125, deterministic=True)
    assert torch.equal(o, function)
    for a, b in zip(torch.autograd.grad(o, (q, k, v), do), torch.autograd.grad(function, (q, k, v), do)):
        assert torch.equal(a, b)


def test_logarithms_alone_give_no_gradients():
    q, k, v = tensors(1, 64, 64, 4, 4, 64, torch.bfloat16, grad=True)
    o, lse, _ = flash_attn_func(q, k, v, return_attn_probs=True)
    assert o.requires_grad and not lse.requires_grad
    with torch.inference_mode():
        assert torch.equal(flash_attn_func(q, k, v), o)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("columns", [64, 768, 1024, 4096, 5120, 16384])
@pytest.mark.parametrize("rows", [(1,), (3, 7), (1000,)])
def test_rows(rows, columns, dtype):
    torch.manual_seed(columns)
    x = torch.randn(*rows, columns, device="cuda", dtype=dtype) * 3 + 1
    w, b = (torch.randn(columns, device="cuda", dtype=dtype) for _ in range(2))
    wide = torch.cat([x, x], -1)[..., :columns]
    functional, shape = torch.nn.functional, (columns,)
    for epsilon in (1e-6, 0.5):
        for name, call, plain in [
            ("rms_norm", lambda x, w, b: tilewright.rms_norm(x, w, epsilon),
             lambda x, w, b: functional.rms_norm(x, shape, w, epsilon)),
            ("rms_norm without weight", lambda x, w, b: tilewright.rms_norm(x, eps=epsilon),
             lambda x, w, b: functional.rms_norm(x, shape, None, epsilon)),
            ("layer_norm", lambda x, w, b: tilewright.layer_norm(x, w, b, epsilon),
             lambda x, w, b: functional.layer_norm(x, shape, w, b, epsilon)),
            ("softmax", lambda x, w, b: tilewright.softmax(x), lambda x, w, b: torch.softmax(x, -1)),
        ]:
            exact = plain(x.double(), w.double(), b.double())
            close(call(x, w, b), plain(x, w, b), exact, name)
            assert torch.equal(call(wide, w, b), call(x, w, b))
    torch._dynamo.reset()  # so that one function is not compiled too often
    assert torch.equal(torch.compile(lambda x: tilewright.rms_norm(x, w), fullgraph=True)(x), tilewright.rms_norm(x, w))


def test_rows_of_other_lengths_are_refused_with_the_command():
    with pytest.raises(NotImplementedError, match="no rms_norm for rows of 72.*--columns 72"):
        tilewright.rms_norm(torch.randn(2, 72, device="cuda"))
    torch.library.opcheck(torch.ops.tilewright.rms_norm.default, (torch.randn(2, 64, device="cuda"), None, None, 1e-5))


ROW_OPERATORS = {
    "rms_norm": (lambda x, w, b: tilewright.rms_norm(x, w, 1e-3),
                 lambda x, w, b: torch.nn.functional.rms_norm(x, x.shape[-1:], w, 1e-3)),
    "layer_norm": (lambda x, w, b: tilewright.layer_norm(x, w, b, 1e-3),
                   lambda x, w, b: torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, 1e-3)),
    "softmax": (lambda x, w, b: tilewright.softmax(x), lambda x, w, b: torch.softmax(x, -1)),
}
ROW_GIVEN = [("rms_norm", 0), ("rms_norm", 1), ("layer_norm", 0), ("layer_norm", 2), ("softmax", 0)]


def rows_given(vectors, shape, dtype):
    torch.manual_seed(shape[-1])
    x = (torch.randn(shape, device="cuda") * 3 + 1).to(dtype).requires_grad_()
    return x, *[torch.randn(shape[-1], device="cuda").to(dtype).requires_grad_() for _ in range(vectors)]


def gradients(call, given, dy):
    return torch.autograd.grad(call(*given, *[None] * (3 - len(given))), given, dy)


@pytest.mark.parametrize("name,vectors", ROW_GIVEN)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("shape", [(1, 64), (3, 7, 768), (1000, 4096), (5000, 1024), (0, 64)], ids=str)
def test_gradients_of_rows(name, vectors, dtype, shape):
    ours, plain = ROW_OPERATORS[name]
    given = rows_given(vectors, shape, dtype)
    exactly = [x.detach().double().requires_grad_() for x in given]
    for dy in (torch.randn(shape, device="cuda").to(dtype), torch.ones((), device="cuda", dtype=dtype).expand(shape),
               torch.randn((*shape[:-1], 2 * shape[-1]), device="cuda").to(dtype)[..., ::2]):
        found, theirs, exact = (gradients(ours, given, dy), gradients(plain, given, dy),
                                gradients(plain, exactly, dy.double()))
        recorded = torch.autograd.grad(ours(*given, *[None] * (2 - vectors)), given, dy, create_graph=True)
        for a, other, b, c in zip(found, recorded, theirs, exact):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            if c.numel() and shape[0]:
                close(a, b, c, name)
                close(other.detach(), b, c, f"{name}, to be differentiated")


@pytest.mark.parametrize("name,vectors", ROW_GIVEN)
def test_operators_on_rows_keep_their_promises(name, vectors):
    given = rows_given(vectors, (6, 64), torch.float32)
    torch.library.opcheck(getattr(torch.ops.tilewright, name).default, (*given, *[None] * (2 - vectors), 1e-3))


@pytest.mark.parametrize("name,vectors", ROW_GIVEN)
def test_compiled_gradients_of_rows(name, vectors):
    torch._dynamo.reset()
    ours, plain = ROW_OPERATORS[name]
    given = rows_given(vectors, (100, 512), torch.bfloat16)
    dy = torch.randn(100, 512, device="cuda", dtype=torch.bfloat16)
    exact = gradients(plain, [x.detach().double().requires_grad_() for x in given], dy.double())
    compiled = torch.compile(ours, fullgraph=True)
    for a, b, c in zip(gradients(compiled, given, dy), gradients(plain, given, dy), exact):
        close(a, b, c, name)


def test_norms_keep_the_type_of_x_under_autocast():
    x, w, b = rows_given(2, (6, 64), torch.bfloat16)
    w, b = (v.detach().float().requires_grad_() for v in (w, b))
    with torch.autocast("cuda", torch.bfloat16):
        y = tilewright.layer_norm(x, w, b)
    assert y.dtype is torch.bfloat16
    assert [g.dtype for g in torch.autograd.grad(y.sum(), (x, w, b))] == [x.dtype, w.dtype, b.dtype]
    with pytest.raises(TypeError, match="weight is torch.float32, but x is torch.bfloat16"):
        tilewright.layer_norm(x, w, b)


def test_a_batch_of_vmap_is_more_rows():
    x, w, _ = (y.detach() for y in rows_given(2, (6, 5, 64), torch.bfloat16))
    found = torch.vmap(lambda x: tilewright.rms_norm(x, w), in_dims=1, out_dims=1)(x)
    assert torch.equal(found, tilewright.rms_norm(x, w))


def turned(x, cos, sin, dtype):
    """Rotary embedding as transformers has it, in a type."""
    pairs = x.shape[-1] // 2
    cos, sin = (torch.cat([t[..., :pairs]] * 2, -1).unsqueeze(-2).to(dtype) for t in (cos, sin))
    x = x.to(dtype)
    return x * cos + torch.cat((-x[..., pairs:], x[..., :pairs]), -1) * sin


def angles(*shape):
    torch.manual_seed(shape[-1])
    angle = torch.rand(shape, device="cuda") * 2000
    return angle.cos(), angle.sin()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("dim", [32, 64, 80, 96, 128, 192, 256])
@pytest.mark.parametrize("heads", [1, 2, 3, 12, 28, 40, 64, 100, 129])
def test_rope(heads, dim, dtype):
    for batch, sequence in [(1, 1), (3, 7), (2, 300), (9, 1)]:
        x = torch.randn(batch, sequence, heads, dim, device="cuda").to(dtype).requires_grad_()
        dy = torch.randn_like(x)
        for shape in [(sequence, dim // 2), (1, sequence, dim), (batch, sequence, dim // 2)]:
            cos, sin = angles(*shape)
            y = tilewright.rope(x, cos, sin)
            exact, plain = (turned(x, cos, sin, t) for t in (torch.float64, dtype))
            close(y, plain, exact, "rope")
            ours, wanted, others = (torch.autograd.grad(o, x, dy.to(o.dtype))[0] for o in (y, exact, plain))
            close(ours, others, wanted.double(), "gradient")
            assert torch.equal(tilewright.rope(x, cos.double(), sin.double()), y)


def test_rope_of_any_layout():
    cos, sin = angles(3, 50, 64)
    wide = torch.randn(3, 50, 5, 6, 72, device="cuda", dtype=torch.bfloat16)
    for x in (wide[:, :, 1, :, :64], wide[:, :, :, 2, 8:], wide.flatten(2, 3)[..., :64].transpose(1, 2).contiguous(
    ).transpose(1, 2), wide[:, :, 0, :, 1:65], wide[:, :1, 0, :1, :64].expand(3, 50, 6, 64)):
        for c, s in ((cos[..., :32], sin[..., :32]), (cos[0], sin[0]), (cos.transpose(0, 1).contiguous().transpose(
                0, 1), sin), (cos[..., 1:33], sin[..., 1:33])):
            assert torch.equal(tilewright.rope(x, c, s), tilewright.rope(x.contiguous(), c.clone(), s.clone()))
            exact, plain = (turned(x, c, s, t) for t in (torch.float64, x.dtype))
            close(tilewright.rope(x, c, s), plain, exact, "rope")


def test_rope_keeps_its_promises():
    torch._dynamo.reset()
    cos, sin = angles(9, 32)
    x = torch.randn(2, 9, 4, 64, device="cuda", requires_grad=True)
    torch.library.opcheck(torch.ops.tilewright.rope.default, (x, cos, sin))
    compiled = torch.compile(lambda x: tilewright.rope(x * 2, cos, sin).square().sum(), fullgraph=True)
    found, = torch.autograd.grad(compiled(x), x)
    assert torch.allclose(found, 8 * x, atol=1e-4)  # turns keep lengths
    many = torch.randn(2, 9, 3, 4, 64, device="cuda")
    mapped = torch.vmap(lambda x: tilewright.rope(x, cos, sin), in_dims=2, out_dims=2)(many)
    assert torch.equal(mapped[:, :, 1], tilewright.rope(many[:, :, 1], cos, sin))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("columns", [64, 768, 4096, 5120, 16384])
def test_rows_of_a_table(columns, dtype):
    torch.manual_seed(columns)
    table = torch.randn(777, columns, device="cuda").to(dtype).requires_grad_()
    functional = torch.nn.functional.embedding
    for shape in ((), (1,), (5, 700), (0, 3)):
        for kind in (torch.int64, torch.int32):
            ids = torch.randint(0, 50, shape, device="cuda", dtype=kind)
            y, plain = tilewright.embedding(ids, table), functional(ids, table)
            assert torch.equal(y, plain)
            dy = torch.randn_like(y)
            exactly = table.detach().double().requires_grad_()
            exact, = torch.autograd.grad(functional(ids, exactly), exactly, dy.double())
            ours, theirs = (torch.autograd.grad(o, table, dy)[0] for o in (y, plain))
            close(ours, theirs, exact, "gradient")


def test_ids_of_any_layout_and_outside():
    table = torch.randn(9, 64, device="cuda", requires_grad=True)
    ids = torch.randint(0, 9, (6, 8), device="cuda")
    wide = torch.randn(9, 160, device="cuda")
    for given in (ids.t(), ids[:, ::2], ids[:, :3], ids[:1].expand(6, 8), ids[::3].int()):
        for rows in (table, wide[:, :64], wide[:, 1:65], wide[:, :128:2]):
            assert torch.equal(tilewright.embedding(given, rows), torch.nn.functional.embedding(given, rows))
    ids = torch.tensor([-100, 3, 9, -1, 8, 3], device="cuda")
    y = tilewright.embedding(ids, table)
    assert torch.equal(y[[1, 4, 5]], table[[3, 8, 3]]) and not y[[0, 2, 3]].any()
    gradient, = torch.autograd.grad(y.sum(), table)
    assert [row.unique().tolist() for row in gradient] == [[0], [0], [0], [2], [0], [0], [0], [0], [1]]


def test_embedding_keeps_its_promises():
    torch._dynamo.reset()
    table = torch.randn(9, 64, device="cuda", requires_grad=True)
    ids = torch.randint(0, 9, (6, 8), device="cuda")
    torch.library.opcheck(torch.ops.tilewright.embedding.default, (ids, table))
    compiled = torch.compile(lambda table: tilewright.embedding(ids, table * 2), fullgraph=True)
    found, = torch.autograd.grad(compiled(table).sum(), table)
    assert torch.equal(found, 2 * ids.flatten().bincount(minlength=9)[:, None].float().expand(9, 64))
    mapped = torch.vmap(lambda i: tilewright.embedding(i, table.detach()), in_dims=1, out_dims=1)(ids)
    assert torch.equal(mapped, table[ids])


def test_captured_graphs_replay():
    q, k, v = tensors(1, 256, 256, 4, 4, 64, torch.bfloat16)
    wanted = flash_attn_func(q, k, v, causal=True)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        flash_attn_func(q, k, v, causal=True)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        o = flash_attn_func(q, k, v, causal=True)
    for _ in range(3):
        o.zero_()
        graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(o, wanted)


def test_threads_and_streams_do_not_disturb_each_other():
    q, k, v = tensors(2, 700, 700, 8, 8, 128, torch.bfloat16)
    wanted, wrong = flash_attn_func(q, k, v, causal=True), []
    torch.cuda.synchronize()

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                if not torch.equal(flash_attn_func(q, k, v, causal=True), wanted):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_cannot_be_done_is_refused_with_the_reason():
    q, k, v = tensors(1, 8, 8, 4, 4, 64, torch.bfloat16)
    for call, words in [
        (lambda: flash_attn_func(q, k, v, dropout_p=0.1), "dropout_p is 0.1: needed is 0"),
        (lambda: flash_attn_func(q.float(), k, v), "q is torch.float32: needed is torch.bfloat16"),
        (lambda: flash_attn_func(q, k[:, :, :3], v[:, :, :3]), "4 heads do not share 3 heads"),
        (lambda: flash_attn_func(q, k.half(), v), "k is torch.float16, but q is torch.bfloat16"),
        (lambda: flash_attn_func(q[0], k, v), "q has shape"),
        (lambda: flash_attn_func(q.cpu(), k, v), "k is on cuda:0, but q is on cpu"),
    ]:
        with pytest.raises((NotImplementedError, TypeError, ValueError), match=words):
            call()
