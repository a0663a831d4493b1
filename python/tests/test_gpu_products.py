"""Matrix products on a GPU: errors are at most 1.5 times those of PyTorch, both from FP64."""

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available() or torch.cuda.get_device_capability() < (8, 0),
                                reason="no GPU from SM80 on")
F = torch.nn.functional

if torch.cuda.is_available():
    from tilewright import gemm, linear
    from tilewright.products import _ACTIVATIONS

SHAPES = [(512, 768, 1024), (1, 4096, 4096), (7, 1000, 520), (333, 1111, 777), (2048, 2048, 2048), (8, 8, 8),
          (130, 24, 4100), (4096, 96, 64), (16, 11008, 4096), (200, 304, 16000)]


def close(ours, plain, exact, name=""):
    error, allowed = ((x.double() - exact).abs().max().item() for x in (ours, plain))
    least = torch.finfo(ours.dtype).eps * exact.abs().max().item()
    assert error <= 1.5 * allowed + least, f"{name}: error {error}, PyTorch's {allowed}"


def tensors(*shapes, dtype=torch.bfloat16):
    torch.manual_seed(sum(map(sum, shapes)))
    return [torch.randn(shape, device="cuda", dtype=dtype) for shape in shapes]


@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products(m, n, k, dtype):
    a, b = tensors((m, k), (k, n), dtype=dtype)
    for x, y in ((a, b), (a.t().contiguous().t(), b), (a, b.t().contiguous().t()),
                 (a.t().contiguous().t(), b.t().contiguous().t())):
        close(gemm(x, y), x @ y, x.double() @ y.double(), f"{x.stride()} {y.stride()}")
    close(gemm(a, b, alpha=0.3), (a.float() @ b.float() * 0.3).to(dtype), a.double() @ b.double() * 0.3, "alpha")


def test_every_problem_of_a_draw():
    import random

    draw = random.Random(29)
    for _ in range(60):
        m, n, k = (round(2 ** draw.uniform(0, top)) for top in (13, 13, 13))
        x, w = tensors((m, k), (n, k))
        close(linear(x, w), F.linear(x, w), x.double() @ w.double().t(), f"{m} {n} {k}")


@pytest.mark.parametrize("activation", [None, "relu", "gelu", "gelu_tanh", "silu"])
@pytest.mark.parametrize("m, n, k", SHAPES[:5])
def test_vectors_and_activations(activation, m, n, k):
    x, w, b = tensors((3, m, k), (n, k), (n,))
    act = _ACTIVATIONS[activation or ""]
    exact = act(F.linear(x.double(), w.double(), b.double()))
    close(linear(x, w, b, activation), act(F.linear(x, w, b)), exact, f"{activation}")


def test_batches_and_views():
    a, b = tensors((5, 200, 328), (5, 328, 264))
    close(gemm(a, b), a @ b, a.double() @ b.double())
    wide, = tensors((300, 1000))
    part = wide[:, 8:520]
    close(gemm(part, part.t()), part @ part.t(), part.double() @ part.double().t())
    odd = wide[1:, 3:100]
    close(gemm(odd, odd.t()), odd @ odd.t(), odd.double() @ odd.double().t())


@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_matrix_is_added(m, n, k, dtype):
    a, b, c, bias = tensors((m, k), (k, n), (m, n), (n,), dtype=dtype)
    before = c.clone()
    for x, y in ((a, b), (a.t().contiguous().t(), b), (a, b.t().contiguous().t()),
                 (a.t().contiguous().t(), b.t().contiguous().t())):
        exact = 0.5 * (x.double() @ y.double()) - 2 * c.double()
        close(gemm(x, y, c=c, alpha=0.5, beta=-2), torch.addmm(c, x, y, alpha=0.5, beta=-2), exact, f"{x.stride()}")
        close(gemm(x, y, bias, c=c), (x.float() @ y.float() + bias.float() + c.float()).to(dtype),
              x.double() @ y.double() + bias.double() + c.double(), "bias")
    assert torch.equal(before, c)


def test_gradients_of_what_is_added():
    given = [t.requires_grad_() for t in tensors((100, 264), (264, 520), (100, 520))]
    dy, = tensors((100, 520))
    ours = torch.autograd.grad(gemm(*given[:2], c=given[2], alpha=0.5, beta=0.25), given, dy)
    plain = torch.autograd.grad(torch.addmm(given[2], *given[:2], alpha=0.5, beta=0.25), given, dy)
    doubles = [t.detach().double().requires_grad_() for t in given]
    exact = torch.autograd.grad(torch.addmm(doubles[2], *doubles[:2], alpha=0.5, beta=0.25), doubles, dy.double())
    for name, *values in zip("abc", ours, plain, exact):
        close(*values, name)


def test_batches_with_a_matrix():
    a, b, c = tensors((5, 200, 328), (5, 328, 264), (5, 200, 264))
    close(gemm(a, b, c=c, beta=3), torch.baddbmm(c, a, b, beta=3),
          torch.baddbmm(c.double(), a.double(), b.double(), beta=3))


def test_nothing():
    x = torch.empty(0, 64, device="cuda", dtype=torch.bfloat16)
    w, = tensors((32, 64))
    assert linear(x, w).shape == (0, 32)
    empty = torch.empty(4, 0, device="cuda", dtype=torch.bfloat16)
    assert torch.equal(gemm(empty, empty.t()), torch.zeros(4, 4, device="cuda", dtype=torch.bfloat16))
    negative = -torch.ones(4, device="cuda", dtype=torch.bfloat16)
    assert not linear(empty, empty, negative, "relu").any()


@pytest.mark.parametrize("activation", [None, "gelu"])
def test_gradients(activation):
    x, w, b, dy = tensors((2, 100, 264), (520, 264), (520,), (2, 100, 520))
    act = _ACTIVATIONS[activation or ""]

    def gradients(function, dtype):
        given = [t.detach().to(dtype).requires_grad_() for t in (x, w, b)]
        return torch.autograd.grad(function(*given), given, dy.to(dtype))

    ours = gradients(lambda *t: linear(*t, activation), torch.bfloat16)
    plain = gradients(lambda *t: act(F.linear(*t)), torch.bfloat16)
    exact = gradients(lambda *t: act(F.linear(*t)), torch.float64)
    for name, *values in zip("xwb", ours, plain, exact):
        close(*values, name)


def test_opcheck_compile_and_capture():
    x, w, b = (t.requires_grad_() for t in tensors((64, 128), (256, 128), (256,)))
    plain = [t.detach() for t in (x, w, b)]
    torch.library.opcheck(torch.ops.tilewright.gemm, (x, w, b, "", 1.0, None, 1.0))
    torch.library.opcheck(torch.ops.tilewright.gemm, (*plain, "gelu", 0.5, None, 1.0))
    torch.library.opcheck(torch.ops.tilewright.gemm, (x, w, b, "", 0.5, (x @ w.t()).detach().requires_grad_(), 0.25))
    torch._dynamo.reset()
    compiled = torch.compile(lambda *t: linear(*t, "silu").sum(), fullgraph=True)
    assert torch.allclose(compiled(x, w, b), linear(x, w, b, "silu").sum(), rtol=1e-2)
    with torch.no_grad():
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        long, = tensors((128, 16384))
        with torch.cuda.stream(stream):
            linear(long, long)
            stream.synchronize()
            with torch.cuda.graph(graph, stream=stream):
                y = linear(long, long)
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
        close(y, F.linear(long, long), long.double() @ long.double().t())


def test_refusals():
    x, w = tensors((4, 64), (8, 64))
    with pytest.raises(TypeError, match="float32"):
        linear(x.float(), w.float())
    with pytest.raises(ValueError, match="needed are"):
        linear(x, w[:, :32])
    with pytest.raises(ValueError, match="swish"):
        linear(x, w, activation="swish")
