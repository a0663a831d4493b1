"""Quantizers, scaled and grouped products on a GPU, beside products in FP64 of what was quantised."""

import pytest

torch = pytest.importorskip("torch")
CAPABILITY = torch.cuda.get_device_capability() if torch.cuda.is_available() else (0, 0)
pytestmark = pytest.mark.skipif(CAPABILITY < (8, 9), reason="no GPU with products of 8-bit floats")
hopper = pytest.mark.skipif(CAPABILITY != (9, 0), reason="no Hopper GPU")

if CAPABILITY >= (8, 9):
    from test_gpu_products import close
    from tilewright import grouped_gemm, quantize, scaled_gemm

SCALINGS = ["tensor", "row", "1x128", "128x128"]
CODE = torch.float8_e4m3fn


def numbers(*shape, dtype=torch.bfloat16, device="cuda", seed=0):
    torch.manual_seed(seed + sum(shape))
    return (torch.randn(shape, device=device) * torch.exp(torch.randn(shape, device=device))).to(dtype)


def spread(scales, shape, dtype=torch.float64):
    """The scale of each element."""
    scales = scales.to(dtype)
    if scales.numel() > 1:
        down, across = (-(-extent // count) for extent, count in zip(shape, scales.shape))
        down, across = (128 if unit > 1 and count > 1 else unit for unit, count in
                        zip((down, across), scales.shape))
        scales = scales.repeat_interleave(down, 0).repeat_interleave(across, 1)[:shape[0], :shape[1]]
    return scales.expand(shape)


def by_definition(x, scaling):
    """Scales and codes by PyTorch, in FP32."""
    m, k = x.shape
    rows, columns = {"tensor": (m, k), "row": (1, k), "1x128": (1, 128), "128x128": (128, 128)}[scaling]
    down, across = -(-m // rows), -(-k // columns)
    blocks = torch.zeros(down * rows, across * columns, device=x.device)
    blocks[:m, :k] = x.float()
    largest = blocks.view(down, rows, across, columns).abs().amax((1, 3))
    scales = torch.where(largest < 2.0 ** -100, torch.ones_like(largest), largest / 448)
    inverse = torch.where(largest < 2.0 ** -100, torch.ones_like(largest), 448 / largest)
    codes = x.float() * inverse.repeat_interleave(rows, 0).repeat_interleave(columns, 1)[:m, :k]
    return codes.to(CODE), scales


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("shape", [(1, 1), (128, 128), (300, 1000), (7, 4096), (1030, 333), (4096, 7168)])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_codes_and_scales_are_those_of_the_definition(scaling, shape, dtype):
    x = numbers(*shape, dtype=dtype)
    for given in (x, x.t().contiguous().t()):
        codes, scales = quantize(given, scaling)
        wanted, factors = by_definition(x, scaling)
        assert torch.allclose(scales.reshape(factors.shape), factors, rtol=3e-7)
        # A scale that differs in its last bit moves codes that lie halfway between two.
        seldom = (codes.float() != wanted.float()).float().mean()
        assert seldom <= 1e-3 and torch.allclose(codes.float(), wanted.float(), rtol=0.13,
                                                       atol=2.0 ** -9)
    assert scales.stride() == (1, -(-shape[0] // 4) * 4) or scaling != "1x128"


def test_what_is_not_finite_is_no_number():
    x = numbers(64, 256)
    x[3, 5], x[4, 6], x[5, 7] = float("nan"), float("inf"), float("-inf")
    for scaling in SCALINGS:
        codes, scales = quantize(x, scaling)
        assert torch.equal(codes.float().isnan(), ~x.isfinite()) and scales.isfinite().all()


def within(y, exact, a, b, name=""):
    """Errors are those of the output, and of FP32 sums of products of 16-bit numbers."""
    allowed = torch.finfo(y.dtype).eps * exact.abs() + 2.0 ** -19 * (a.abs() @ b.abs())
    error = (y.double() - exact).abs()
    assert (error <= allowed).all(), f"{name}: {(error / allowed).max().item()} of what is allowed"


def of_tensor_core(qa, qb, depth, scale):
    """The product as cuBLAS's sums of parts of k give it: the tensor core cuts what it adds, and no bound on single
    elements holds for that. Between parts, sums are FP64 here.

    :param scale: the scales of each element of a part of k, by its first index
    """
    one, total = torch.ones((), device="cuda"), 0
    for first in range(0, qa.shape[1], depth):
        a, b = (q[:, first:first + depth].contiguous() for q in (qa, qb))
        sums = torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.float32, use_fast_accum=True)
        total = total + sums.double() * scale(first)
    return total


SHAPES = [(16, 16, 16), (128, 128, 128), (300, 528, 1008), (1, 4096, 4096), (77, 2064, 7168), (4096, 4096, 2048)]


@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("scaling", ["tensor", "row"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products_with_scales_of_tensors_and_rows(m, n, k, scaling, dtype):
    a, b, bias = numbers(m, k), numbers(n, k, seed=1), numbers(n, dtype=dtype)
    (qa, sa), (qb, sb) = quantize(a, scaling), quantize(b, scaling)
    exact = (qa.double() * sa.double()) @ (qb.double() * sb.double()).t()
    for fast, depth in ((False, 128), (True, k)):
        theirs = of_tensor_core(qa, qb, depth, lambda _: sa.double() * sb.double().t())
        for given, added in ((None, 0), (bias, bias.double())):
            y = scaled_gemm(qa, qb.t(), sa, sb.t(), given, dtype, fast)
            close(y, theirs + added, exact + added, f"fast {fast}, bias {given is not None}")


@hopper
@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products_with_scales_of_blocks(m, n, k, dtype):
    a, b = numbers(m, k), numbers(n, k, seed=1)
    (qa, sa), (qb, sb) = quantize(a, "1x128"), quantize(b, "128x128")
    of_a, of_b = spread(sa, (m, k)), spread(sb, (n, k))
    exact = (qa.double() * of_a) @ (qb.double() * of_b).t()
    theirs = of_tensor_core(qa, qb, 128, lambda first: of_a[:, first, None] * of_b[:, first])
    for scales in (sa, sa.contiguous()):
        close(scaled_gemm(qa, qb.t(), scales, sb.t(), out_dtype=dtype), theirs, exact)


@pytest.mark.parametrize("m, n, k", SHAPES[2:])
def test_products_are_those_of_pytorch(m, n, k):
    a, b = numbers(m, k), numbers(n, k)
    (qa, sa), (qb, sb) = quantize(a, "tensor"), quantize(b, "tensor")
    theirs = torch._scaled_mm(qa, qb.t(), sa, sb, out_dtype=torch.bfloat16)
    assert torch.allclose(scaled_gemm(qa, qb.t(), sa, sb), theirs, rtol=2e-2, atol=1e-2 * theirs.abs().max().item())


def random_ends(groups, rows):
    torch.manual_seed(groups)
    return torch.randint(0, rows + 1, (groups,), device="cuda").sort().values.int()


@hopper
@pytest.mark.parametrize("m, n, k, groups", [(1000, 256, 128, 8), (4096, 1408, 2048, 64), (64, 4096, 1024, 32),
                                             (1, 8, 8, 1), (513, 776, 264, 3)])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_groups_of_rows(m, n, k, groups, dtype):
    a, b = numbers(m, k, dtype=dtype), numbers(groups, k, n, dtype=dtype)
    ends = random_ends(groups, m)
    for given in (b, b.transpose(1, 2).contiguous().transpose(1, 2)):
        y, begin = grouped_gemm(a, given, ends), 0
        for group, end in enumerate(ends.tolist()):
            exact = a[begin:end].double() @ b[group].double()
            within(y[begin:end], exact, a[begin:end].double(), b[group].double(), f"group {group}")
            begin = end


@hopper
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_of_groups(compiled):
    a, b = numbers(300, 64).requires_grad_(), numbers(4, 64, 128).requires_grad_()
    ends, dy = torch.tensor([10, 10, 203, 300]).cuda().int(), numbers(300, 128)
    product = torch.compile(grouped_gemm, fullgraph=True) if compiled else grouped_gemm
    da, db = torch.autograd.grad(product(a, b, ends), (a, b), dy)
    begin = 0
    for group, end in enumerate(ends.tolist()):
        rows, matrix, grads = a[begin:end].double(), b[group].double(), dy[begin:end].double()
        within(da[begin:end], grads @ matrix.t(), grads, matrix.t(), f"rows of group {group}")
        within(db[group], rows.t() @ grads, rows.t(), grads, f"matrix of group {group}")
        begin = end


def test_opcheck_compile_and_capture():
    x, w = numbers(256, 512), numbers(384, 512)
    for scaling in SCALINGS:
        torch.library.opcheck(torch.ops.tilewright.quantize, (x, scaling),
                              test_utils=("test_schema", "test_faketensor"))
    (qx, sx), (qw, sw) = quantize(x), quantize(w)
    torch.library.opcheck(torch.ops.tilewright.scaled_gemm, (qx, qw.t(), sx, sw.t(), None, torch.bfloat16, False),
                          test_utils=("test_faketensor",))

    def quantised(x):
        codes, scales = quantize(x, "row")
        return scaled_gemm(codes, qw.t(), scales, sw.t()) * 2

    torch._dynamo.reset()
    assert torch.equal(torch.compile(quantised, fullgraph=True)(x), quantised(x))
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        quantised(x)
        stream.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            y = quantised(x)
    wanted = quantised(numbers(256, 512) * 2)
    x.copy_(numbers(256, 512) * 2)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, wanted)


@hopper
def test_groups_in_a_graph_follow_their_ends():
    a, b = numbers(512, 256), numbers(4, 256, 128)
    ends = torch.tensor([0, 100, 300, 512], device="cuda", dtype=torch.int32)
    torch.library.opcheck(torch.ops.tilewright.grouped_gemm, (a, b, ends),
                          test_utils=("test_schema", "test_faketensor"))
    torch._dynamo.reset()
    compiled = torch.compile(grouped_gemm, fullgraph=True)
    assert torch.equal(compiled(a, b, ends), grouped_gemm(a, b, ends))
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        grouped_gemm(a, b, ends)
        stream.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            y = grouped_gemm(a, b, ends)
    ends.copy_(torch.tensor([128, 128, 129, 512], dtype=torch.int32))
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, grouped_gemm(a, b, ends))


def test_refusals():
    x = numbers(64, 256)
    codes, scales = quantize(x)
    with pytest.raises(NotImplementedError, match="quantize has no gradients"):
        quantize(x.requires_grad_())[1].sum().backward()
    with pytest.raises(ValueError, match="needed is a transposed view"):
        scaled_gemm(codes, codes.t().contiguous(), scales, scales.t())
    with pytest.raises(TypeError, match="scale_a is torch.float64"):
        scaled_gemm(codes, codes.t(), scales.double(), scales.t())
