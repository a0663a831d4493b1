"""Times others' kernels on request, so that ours and a peer's can alternate in one run.

Reads one JSON object a line from stdin and answers each with one JSON object a line on stdout, until stdin ends:

  {"op": "versions"} -> {"versions": {"torch": "..", ..}}

  {"op": "gemm", "m": .., "n": .., "k": .., "dtype": "bf16|f16|f32|tf32|e4m3|e5m2|i8", "dtypeB": .., "out": ..,
   "accumulation": "fast|f16|exact|scaled", "transA": false, "transB": true, "iterations": 20,
   "warmMs": 0}
  -> {"op": "gemm", "ms": {"cublas": median of one run}}; "grouped_gemm" has "torch", "dual_gemm"
  a SwiGLU layer as "eager" and "compile", "sparse_gemm" PyTorch's semi-structured A as "cusparselt" and
  "cutlass" beside "cublas" with a dense one

  {"op": "attention", "batch": .., "heads": .., "kvHeads": .., "queries": .., "keys": .., "headDim": .., "dtype": ..,
   "causal": false, "backward": false, ..} -> {"ms": {"cudnn": .., "flash": ..}}, PyTorch by cuDNN and by its own
   FlashAttention-2; "backward" times the backward pass alone; with "cumulated", the begins and the end of sequences that
  lie one after the other, FlashAttention-2 alone; with "form", FlexAttention alone; of e4m3 {"cudnn-fp8": ..}, cuDNN
  through JAX, whose results are e4m3, and "notes" where its time is less sure

  {"op": a kernel of the catalogue, "settings": {"n": "4096", "dtype": "bf16", ..}, ..}
  -> {"ms": {"eager": .., "compile": .., "triton": ..}}, without those that are not there; "adamw" has PyTorch's fused
  optimizer as "fused"

A is M x K and B is K x N as cuBLAS sees them, row-major; a transposed operand is stored the other way round. Inputs are
N(0, 1) with a fixed seed, several sets in turn, so that together they exceed the L2 cache. Runs shorter than a fifth of
a millisecond are replayed as a CUDA graph of many. A causal mask is aligned to the first key. An operation that nobody
here knows is answered by no times, what a peer cannot do by "failures" beside the others' times, and what nobody can
by {"error": ".."}.
"""

import importlib.metadata
import importlib.util
import inspect
import json
import math
import os
import statistics
import sys
import time

# JAX shares the GPU with PyTorch.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "tf32": torch.float32,
          "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "i8": torch.int8}
ROTATED_BYTES = 256 << 20
MAX_SETS = 64
# Settings of our kernels that are no part of the problem.
OURS = {"vec", "threads", "path", "method", "math", "lanes", "block", "each", "cluster", "blocks", "bytes",
        "high", "wide", "band", "stream", "tile", "stages", "beside", "runs", "depth", "pad", "smem", "store", "warps",
        "shape"}
WARMUPS = 3
MOST_WARMUPS = 10000
SHORT_MS = 0.2
GRAPH_MS = 2.0
# Calls of JAX between two readings of the wall clock take this long together. Calls shorter than SURE_MS may wait for
# their dispatch.
WALL_CLOCK_MS = 10.0
SURE_MS = 0.3
# What cuDNN's attention of 8-bit floats takes through JAX, the backward pass's too.
FP8_PARAMETERS = ("amax_dQ", "amax_dK", "amax_dV", "amax_dP", "descale_q", "descale_k", "descale_v", "descale_s",
                  "scale_s", "scale_o", "descale_o", "descale_dO", "descale_dP", "scale_dQ", "scale_dK", "scale_dV",
                  "scale_dP")


def versions():
    found = {
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cublas": cublas_version(),
        "cudnn": torch.backends.cudnn.version(),
    }
    if triton:
        found["triton"] = triton.__version__
    if importlib.util.find_spec("jax"):
        found["jax"] = importlib.metadata.version("jax")
    return found


def cublas_version():
    """PyTorch does not tell; the library's own answer, by its C interface."""
    import ctypes

    torch.matmul(torch.ones(8, 8, device="cuda"), torch.ones(8, 8, device="cuda"))
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libcublas.so" in line}
    if not paths:
        return None
    library = ctypes.CDLL(paths.pop())
    parts = []
    for part in range(3):
        value = ctypes.c_int()
        library.cublasGetProperty(part, ctypes.byref(value))
        parts.append(str(value.value))
    return ".".join(parts)


def normal(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def rotated(make):
    """Enough sets of inputs that a run does not find its own in the cache."""
    sets = [make()]
    size = sum(tensor.nbytes for tensor in sets[0])
    while len(sets) * size < ROTATED_BYTES and len(sets) < MAX_SETS:
        sets.append(make())
    return sets


def timed(run, count, warmup):
    for i in range(warmup):
        run(i)
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
    for i, (start, end) in enumerate(events):
        start.record()
        run(warmup + i)
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in events)


def median_ms(run, sets, warm_ms, iterations):
    def once(i):
        return run(*sets[i % len(sets)])

    warmups = WARMUPS
    if warm_ms > 0:
        warmups = min(MOST_WARMUPS, max(WARMUPS, math.ceil(warm_ms / timed(once, 1, 1))))
    direct = timed(once, iterations, warmups)
    if direct >= SHORT_MS:
        return direct
    many = max(len(sets), min(500, math.ceil(GRAPH_MS / direct)))
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            kept = [once(i) for i in range(many)]
    except RuntimeError:
        return direct
    replayed = timed(lambda _: graph.replay(), iterations, 2) / many
    del kept
    return min(direct, replayed)


# Matrix products and attention


def accumulate_in_f16(wanted):
    """Versions before 2.7 accumulate in FP32 whatever they are told: what they lack is an error where it is wanted."""
    if wanted or hasattr(torch.backends.cuda.matmul, "allow_fp16_accumulation"):
        torch.backends.cuda.matmul.allow_fp16_accumulation = wanted


def bytes_gemm(request):
    """Operands of 8 bits, A by rows and B by columns: floats with unit scales, or integers."""
    m, n, k = request["m"], request["n"], request["k"]
    types = DTYPES[request["dtype"]], DTYPES[request["dtypeB"]]

    def operand(rows, dtype):
        values = normal(rows, k, dtype=torch.float32)
        return (values * 32).clamp(-128, 127).to(dtype) if dtype == torch.int8 else values.to(dtype)

    def make():
        return operand(m, types[0]), operand(n, types[1]).t()

    if request["dtype"] == "i8":
        return make, {"cublas": torch._int_mm}
    fast, out = request["accumulation"] == "fast", DTYPES[request["out"]]
    scale_a = scale_b = torch.ones((), device="cuda")
    if request["accumulation"] == "scaled":
        # A row and 128 of k have a scale, rows fastest; B's are of blocks of 128 by 128, k fastest.
        blocks = k // 128
        scale_a = torch.rand(blocks, m, device="cuda").t()
        scale_b = torch.rand(n // 128, blocks, device="cuda").t()

    def product(a, b):
        return torch._scaled_mm(a, b, scale_a, scale_b, out_dtype=out, use_fast_accum=fast)

    return make, {"cublas": product}


def gemm(request):
    if DTYPES[request["dtype"]].itemsize == 1:
        return bytes_gemm(request)
    m, n, k = request["m"], request["n"], request["k"]
    dtype = DTYPES[request["dtype"]]
    torch.backends.cuda.matmul.allow_tf32 = request["dtype"] == "tf32"
    accumulate_in_f16(request["accumulation"] == "f16")

    def operand(rows, columns, transposed):
        stored = normal(columns, rows, dtype=dtype) if transposed else normal(rows, columns, dtype=dtype)
        return stored.t() if transposed else stored

    def make():
        a = operand(m, k, request.get("transA", False))
        b = operand(k, n, request.get("transB", False))
        return a, b, torch.empty(m, n, device="cuda", dtype=dtype)

    return make, {"cublas": lambda a, b, c: torch.matmul(a, b, out=c)}


def grouped_gemm(request):
    """Groups of equally many rows one after the other, of 16-bit operands."""
    m, n, k, groups = request["m"], request["n"], request["k"], request["groups"]
    dtype = DTYPES[request["dtype"]]
    if dtype.itemsize != 2:
        return None, {}
    ends = torch.arange(1, groups + 1, device="cuda", dtype=torch.int32) * (m // groups)

    def make():
        return normal(m, k, dtype=dtype), normal(groups, n, k, dtype=dtype).transpose(1, 2)

    return make, {"torch": lambda a, b: torch._grouped_mm(a, b, offs=ends)}


def dual_gemm(request):
    """SwiGLU of two products that share A, of 16-bit operands: one product of both matrices, then the gate."""
    m, n, k = request["m"], request["n"], request["k"]
    dtype = DTYPES[request["dtype"]]
    if dtype.itemsize != 2:
        return None, {}

    def make():
        return normal(m, k, dtype=dtype), normal(2 * n, k, dtype=dtype).t()

    def layer(a, b):
        gate, up = torch.matmul(a, b).chunk(2, dim=1)
        return torch.nn.functional.silu(gate) * up

    return make, {"eager": layer, "compile": torch.compile(layer, dynamic=False)}


def sparse_gemm(request):
    """A with two of every four elements, by PyTorch's semi-structured tensors, and dense as cuBLAS multiplies it."""
    m, n, k = request["m"], request["n"], request["k"]
    dtype = DTYPES[request["dtype"]]
    if dtype.itemsize != 2:
        return None, {}

    def pruned():
        chunks = normal(m, k, dtype=dtype).view(m, k // 4, 4)
        kept = torch.zeros_like(chunks).scatter_(-1, chunks.abs().topk(2, dim=-1).indices, 1)
        return (chunks * kept).view(m, k)

    runs = {"cublas": lambda a, b, c, *_: torch.matmul(a, b, out=c)}
    kinds = []
    for name in ("cusparselt", "cutlass"):
        try:
            kind = getattr(torch.sparse, "SparseSemiStructuredTensor" + name.upper())
            kind.from_dense(pruned())
        except Exception as failure:
            runs[name] = raising(failure)
            continue
        runs[name] = lambda a, b, c, *compressed, at=len(kinds): torch.mm(compressed[at], b)
        kinds.append(kind)

    def make():
        a = pruned()
        b = normal(n, k, dtype=dtype).t() if request["transB"] else normal(k, n, dtype=dtype)
        return a, b, torch.empty(m, n, device="cuda", dtype=dtype), *(kind.from_dense(a) for kind in kinds)

    return make, runs


def raising(failure):
    """A run that tells why there is none."""
    def run(*_):
        raise failure
    return run


def attention(request):
    batch, heads, head_dim = request["batch"], request["heads"], request["headDim"]
    kv_heads = request.get("kvHeads", heads)
    queries, keys = request["queries"], request["keys"]
    if request["dtype"] == "e4m3":
        return quantized_attention(request)
    dtype, causal, backward = DTYPES[request["dtype"]], request.get("causal", False), request.get("backward", False)

    def tensor(count, length):
        """(batch, heads, length, dim) to the caller, in memory with the heads of a position side by side."""
        return normal(batch, length, count, head_dim, dtype=dtype).transpose(1, 2)

    def by(backend):
        def forward(q, k, v):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=kv_heads != heads)
        return forward

    def make():
        return tensor(heads, queries), tensor(kv_heads, keys), tensor(kv_heads, keys)

    runs = {"cudnn": by(SDPBackend.CUDNN_ATTENTION), "flash": by(SDPBackend.FLASH_ATTENTION)}
    if "cumulated" in request:
        make, runs = varlen(request, dtype)
    elif "form" in request:
        runs = {"flex": flex(request["form"], heads, queries, keys, causal)}
    return (make, runs) if not backward else gradients(make, runs)


class WallClock:
    """A call of JAX, which computes in a stream of its own: PyTorch's events do not time it."""

    def __init__(self, call, wait):
        self.call, self.wait = call, wait

    def median_ms(self, sets, warm_ms, iterations):
        self.per_call(sets, 1)
        warm = self.per_call(sets, WARMUPS)
        if warm_ms > 0:
            self.per_call(sets, min(MOST_WARMUPS, math.ceil(warm_ms / warm)))
        many = max(WARMUPS, math.ceil(WALL_CLOCK_MS / warm))
        return statistics.median(self.per_call(sets, many) for _ in range(iterations))

    def per_call(self, sets, count):
        begin = time.perf_counter()
        for i in range(count):
            last = self.call(*sets[i % len(sets)])
        self.wait(last)
        return (time.perf_counter() - begin) * 1000 / count

    def notes(self, ms):
        if ms >= SURE_MS:
            return []
        return [f"{ms:.2f} ms by the wall clock, as JAX dispatches one call after the other: below {SURE_MS} ms the"
                " dispatch may be part of it"]


def failing(failure):
    """A run that says why there is none."""
    def run(*_):
        raise failure
    return run


def quantized_attention(request):
    """e4m3 codes whose factors are all 1, by cuDNN through JAX; O is e4m3 too."""
    if request.get("backward") or "cumulated" in request or "form" in request:
        return None, {}
    try:
        import jax
        import jax.numpy as jnp
        from jax._src.cudnn import fused_attention_stablehlo as fused

        jax.devices("gpu")
    except (ImportError, RuntimeError) as failure:
        return tuple, {"cudnn-fp8": failing(failure)}
    mask = fused.MaskType.CAUSAL if request.get("causal", False) else fused.MaskType.NO_MASK
    parameters = {name: jnp.ones((1, 1, 1, 1), jnp.float32) for name in FP8_PARAMETERS}
    batch, heads, head_dim = request["batch"], request["heads"], request["headDim"]
    seeds = iter(range(3 * MAX_SETS))

    def codes(length, count):
        numbers = jax.random.normal(jax.random.key(next(seeds)), (batch, length, count, head_dim))
        return numbers.astype(jnp.float8_e4m3fn)

    def make():
        kv_heads = request.get("kvHeads", heads)
        return codes(request["queries"], heads), codes(request["keys"], kv_heads), codes(request["keys"], kv_heads)

    @jax.jit
    def call(q, k, v):
        return fused.dot_product_attention(q, k, v, scale=head_dim ** -0.5, mask_type=mask, use_fp8=True,
                                           fp8_params=parameters)

    return make, {"cudnn-fp8": WallClock(call, jax.block_until_ready)}


def gradients(make, runs):
    """The backward pass alone: each peer's own results of its forward pass are part of a set of inputs."""
    failed = {}

    def made():
        inputs = tuple(tensor.requires_grad_() for tensor in make())
        results = {}
        for name, forward in runs.items():
            try:
                results[name] = forward(*inputs)
            except Exception as failure:
                failed[name] = failure
        # Where nobody has a result, nobody asks for its gradient.
        given = [torch.randn_like(result) for result in list(results.values())[:1]] or [inputs[0]]
        return *inputs, *given, *(results.get(name, inputs[0]) for name in runs)

    def backward(place, name):
        def run(q, k, v, given, *results):
            if name in failed:
                raise failed[name]
            return torch.autograd.grad(results[place], (q, k, v), given, retain_graph=True)
        return run

    return made, {name: backward(place, name) for place, name in enumerate(runs)}


def varlen(request, dtype):
    """Sequences one after the other, by PyTorch's FlashAttention-2."""
    from torch.nn.attention.varlen import varlen_attn

    ends = torch.tensor(request["cumulated"], dtype=torch.int32, device="cuda")
    longest = int((ends[1:] - ends[:-1]).max())
    options = {}
    if request["causal"]:
        # Versions differ in how they are told.
        takes_window = "window_size" in inspect.signature(varlen_attn).parameters
        options = {"window_size": (-1, 0)} if takes_window else {"is_causal": True}

    def make():
        shape = request["queries"], request["heads"], request["headDim"]
        return tuple(normal(*shape, dtype=dtype) for _ in range(3))

    return make, {"flash": lambda q, k, v: varlen_attn(q, k, v, ends, ends, longest, longest, **options)}


def flex(form, heads, queries, keys, causal):
    """FlexAttention, compiled, with the functions of AttentionForm."""
    prefix, document, cap = 1024, 1024, 30

    def below(b, h, q, k):
        return k <= q

    window, flex_prefix, flex_document, flex_cap = 1024, 512, 1500, 20
    slopes = torch.randn(heads, device="cuda") * 0.1
    table = torch.randn(heads, queries + keys - 1, device="cuda")
    documents = torch.arange(max(queries, keys), device="cuda") // flex_document

    masks = {"flex-causal": below, "flex-window": lambda b, h, q, k: (k <= q) & (q - k <= window),
             "flex-prefix": lambda b, h, q, k: (k <= q) | (k < flex_prefix),
             "flex-document": lambda b, h, q, k: documents[q] == documents[k],
             "causal-mask": below, "mask": lambda b, h, q, k: (q + k) % 4 > 0,
             "prefix": lambda b, h, q, k: (k <= q) | (k < prefix),
             "documents": lambda b, h, q, k: (k <= q) & (q // document == k // document)}
    scores = {"flex-alibi": lambda score, b, h, q, k: score + slopes[h] * (k - q),
              "flex-softcap": lambda score, b, h, q, k: flex_cap * torch.tanh(score / flex_cap),
              "flex-relative": lambda score, b, h, q, k: score + table[h, k - q + queries - 1],
              "softcap": lambda score, b, h, q, k: cap * torch.tanh(score / cap),
              "alibi": lambda score, b, h, q, k: score + torch.exp2(-0.5 * (h + 1)) * (k - q)}
    mask = masks.get(form, below if causal else None)
    blocks = create_block_mask(mask, None, None, queries, keys, device="cuda") if mask else None
    torch._dynamo.reset()
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda q, k, v: compiled(q, k, v, score_mod=scores.get(form), block_mask=blocks)


# The catalogue: what eager PyTorch calls, by name. Extents are settings; tensors are row-major.


class Settings:
    def __init__(self, values):
        self.values = values
        self.dtype = DTYPES.get(values.get("dtype", "f32"))

    def extent(self, name):
        return int(self.values[name])

    def number(self, name):
        return float(self.values[name])

    def tensor(self, *names):
        return normal(*(self.extent(name) for name in names), dtype=self.dtype)


UNARY = {
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "elu": F.elu,
    "gelu_erf": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "swish": F.silu,
    "hardswish": F.hardswish,
    "hardshrink": F.hardshrink,
}


def pointwise(name, s):
    if name == "add":
        return lambda: (s.tensor("n"), s.tensor("n")), torch.add, elementwise_triton(name)
    if name == "swiglu":
        return lambda: (s.tensor("n"), s.tensor("n")), lambda x, z: F.silu(x) * z, None
    return lambda: (s.tensor("n"),), UNARY[name], elementwise_triton(name)


def rope_half(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


def rope_neighbours(x, cos, sin):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2).to(x.dtype)


def catalogue(name, s):
    """Inputs, eager function and Triton function (or None) of a kernel; None for one that is not known."""
    if name in ("sgemm", "hgemm", "tf32_gemm", "mma_gemm", "wmma_gemm"):
        dtype = {"hgemm": torch.float16, "mma_gemm": s.dtype, "wmma_gemm": s.dtype}.get(name, torch.float32)
        m, n, k = s.extent("m"), s.extent("n"), s.extent("k")

        def right():
            return normal(n, k, dtype=dtype).t() if s.values.get("order") == "TN" else normal(k, n, dtype=dtype)
        return lambda: (normal(m, k, dtype=dtype), right()), torch.matmul, None
    if name == "byte_sum":
        def small():
            return (torch.randint(-128, 128, (s.extent("n"),), device="cuda", dtype=torch.int8),)
        return small, lambda x: x.sum(dtype=torch.int32), None
    if name == "histogram":
        bins = s.extent("bins")

        def numbers():
            return (torch.randint(0, bins, (s.extent("n"),), device="cuda", dtype=torch.int32),)
        return numbers, lambda x: torch.bincount(x, minlength=bins), None
    if s.dtype is None:
        return None
    if name in ("add", "swiglu") or name in UNARY:
        return pointwise(name, s)
    if name == "vector_add":
        return lambda: (s.tensor("n"), s.tensor("n")), torch.add, elementwise_triton("add")
    if name in ("transpose", "mat_transpose"):
        return lambda: (s.tensor("m", "n"),), lambda x: x.t().contiguous(), transpose_triton
    if name == "softmax":
        return lambda: (s.tensor("m", "n"),), lambda x: torch.softmax(x, dim=-1), row_triton("softmax")
    if name == "grid_softmax":
        return lambda: (s.tensor("n"),), lambda x: torch.softmax(x, dim=-1), None
    if name == "layer_norm":
        def inputs():
            return s.tensor("m", "n"), s.tensor("n"), s.tensor("n")
        return inputs, lambda x, g, b: F.layer_norm(x, x.shape[-1:], g, b, 1e-5), row_triton("layer_norm")
    if name == "rms_norm":
        return (lambda: (s.tensor("m", "n"), s.tensor("n")),
                lambda x, g: F.rms_norm(x, x.shape[-1:], g, 1e-5), row_triton("rms_norm"))
    if name == "row_sum":
        return lambda: (s.tensor("m", "n"),), lambda x: x.sum(dim=-1, dtype=torch.float32), None
    if name == "sum":
        return lambda: (s.tensor("n"),), lambda x: x.sum(dtype=torch.float32), sum_triton
    if name == "dot":
        return lambda: (s.tensor("n"), s.tensor("n")), torch.dot, None
    if name == "gemv":
        return lambda: (s.tensor("m", "n"), s.tensor("n")), torch.mv, gemv_triton
    if name == "embedding":
        def table():
            rows = s.extent("v")
            indices = torch.randint(0, rows, (s.extent("m"),), device="cuda", dtype=torch.int32)
            return indices, s.tensor("v", "n")
        return table, F.embedding, None
    if name == "rope":
        def rotation():
            pairs = (s.extent("s"), 1, s.extent("d") // 2)
            return s.tensor("s", "h", "d"), normal(*pairs, dtype=torch.float32), normal(*pairs, dtype=torch.float32)
        return rotation, rope_half if s.values.get("convention") == "half" else rope_neighbours, None
    return None


# Training: what changes its inputs, or has gradients


def adamw(s):
    """A step with moments of f32: compiled, and by the fused optimizer, whose moments have the parameters' type."""
    lr, beta1, beta2, eps, decay = (s.number(name) for name in ("lr", "beta1", "beta2", "eps", "decay"))
    correction1, correction2 = (1 - beta ** s.extent("step") for beta in (beta1, beta2))

    def make():
        n = s.extent("n")
        moments = normal(n, dtype=torch.float32), normal(n, dtype=torch.float32).abs()
        return s.tensor("n"), s.tensor("n"), *moments

    def step(p, g, m, v):
        gradient, parameter = g.float(), p.float()
        m.mul_(beta1).add_(gradient, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        change = m / correction1 / ((v / correction2).sqrt() + eps)
        p.copy_(parameter - lr * (change + decay * parameter))

    count = torch.full((), s.number("step"), device="cuda", dtype=torch.float32)

    def fused(p, g, m, v):
        torch._fused_adamw_([p], [g], [m], [v], [], [count], lr=lr, beta1=beta1, beta2=beta2, weight_decay=decay,
                            eps=eps, amsgrad=False, maximize=False)

    runs = {"compile": torch.compile(step, dynamic=False)}
    if s.dtype == torch.float32:
        runs["fused"] = fused
    return make, runs


def cross_entropy(s):
    """The losses of rows and the gradient by the logits."""
    ignored, rows, columns = -100, s.extent("m"), s.extent("n")
    factors = torch.full((rows,), s.number("scale"), device="cuda", dtype=torch.float32)

    def make():
        return s.tensor("m", "n").requires_grad_(), torch.randint(0, columns, (rows,), device="cuda")

    def losses(x, targets):
        return F.cross_entropy(x.float(), targets, ignore_index=ignored, reduction="none")

    def with_gradient(forward):
        def run(x, targets):
            loss = forward(x, targets)
            return loss.detach(), torch.autograd.grad(loss, x, factors.to(loss.dtype))
        return run

    def narrow(x, targets):
        return F.cross_entropy(x, targets, ignore_index=ignored, reduction="none")

    return make, {"eager": with_gradient(narrow),
                  "compile": with_gradient(torch.compile(losses, dynamic=False))}


TRAINING = {"adamw": adamw, "cross_entropy": cross_entropy}


# Hand-written Triton


if triton:
    @triton.jit
    def elementwise_kernel(x, z, y, n, OP: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n).to(tl.float32)
        if OP == "add":
            r = v + tl.load(z + i, mask=i < n).to(tl.float32)
        elif OP == "relu":
            r = tl.maximum(v, 0.0)
        elif OP == "sigmoid":
            r = tl.sigmoid(v)
        elif OP == "elu":
            r = tl.where(v > 0, v, tl.exp(v) - 1)
        elif OP == "gelu_erf":
            r = 0.5 * v * (1 + tl.erf(v * 0.7071067811865476))
        elif OP == "gelu_tanh":
            r = v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
        elif OP == "swish":
            r = v * tl.sigmoid(v)
        elif OP == "hardswish":
            r = v * tl.minimum(tl.maximum(v + 3, 0.0), 6.0) / 6
        else:
            r = tl.where(tl.abs(v) <= 0.5, 0.0, v)
        tl.store(y + i, r.to(y.dtype.element_ty), mask=i < n)

    @triton.jit
    def row_kernel(x, g, b, y, n, OP: tl.constexpr, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * n
        i = tl.arange(0, BLOCK)
        inside = i < n
        if OP == "softmax":
            v = tl.load(x + row + i, mask=inside, other=-float("inf")).to(tl.float32)
            e = tl.exp(v - tl.max(v, axis=0))
            r = e / tl.sum(e, axis=0)
        else:
            v = tl.load(x + row + i, mask=inside, other=0.0).to(tl.float32)
            scale = tl.load(g + i, mask=inside, other=0.0).to(tl.float32)
            if OP == "layer_norm":
                centred = tl.where(inside, v - tl.sum(v, axis=0) / n, 0.0)
                deviation = tl.sum(centred * centred, axis=0) / n
                shift = tl.load(b + i, mask=inside, other=0.0).to(tl.float32)
                r = centred * tl.rsqrt(deviation + 1e-5) * scale + shift
            else:
                r = v * tl.rsqrt(tl.sum(v * v, axis=0) / n + 1e-5) * scale
        tl.store(y + row + i, r.to(y.dtype.element_ty), mask=inside)

    @triton.jit
    def transpose_kernel(x, y, m, n, BLOCK: tl.constexpr):
        i = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        j = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        inside = (i[:, None] < m) & (j[None, :] < n)
        tile = tl.load(x + i[:, None] * n + j[None, :], mask=inside)
        tl.store(y + j[:, None] * m + i[None, :], tl.trans(tile), mask=(j[:, None] < n) & (i[None, :] < m))

    @triton.jit
    def sum_kernel(x, y, n, BLOCK: tl.constexpr, STEPS: tl.constexpr):
        total = tl.zeros((BLOCK,), tl.float32)
        for step in range(STEPS):
            i = (tl.program_id(0).to(tl.int64) * STEPS + step) * BLOCK + tl.arange(0, BLOCK)
            total += tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        tl.atomic_add(y, tl.sum(total, axis=0))

    @triton.jit
    def gemv_kernel(a, x, y, k, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        total = tl.zeros((BLOCK,), tl.float32)
        for at in range(0, k, BLOCK):
            i = at + tl.arange(0, BLOCK)
            v = tl.load(a + row * k + i, mask=i < k, other=0.0).to(tl.float32)
            total += v * tl.load(x + i, mask=i < k, other=0.0).to(tl.float32)
        tl.store(y + row, tl.sum(total, axis=0).to(y.dtype.element_ty))


def warps(block):
    return min(32, max(1, block // 512))


def elementwise_triton(name):
    def run(x, z=None):
        y = torch.empty_like(x)
        block = 4096 // x.element_size()
        elementwise_kernel[(triton.cdiv(x.numel(), block),)](x, x if z is None else z, y, x.numel(), OP=name,
                                                             BLOCK=block, num_warps=4)
        return y

    return run


def row_triton(name):
    def run(x, g=None, b=None):
        y = torch.empty_like(x)
        m, n = x.shape
        block = triton.next_power_of_2(n)
        row_kernel[(m,)](x, x if g is None else g, x if b is None else b, y, n, OP=name, BLOCK=block,
                         num_warps=warps(block))
        return y

    return run


def transpose_triton(x):
    m, n = x.shape
    y = torch.empty(n, m, device=x.device, dtype=x.dtype)
    transpose_kernel[(triton.cdiv(n, 64), triton.cdiv(m, 64))](x, y, m, n, BLOCK=64, num_warps=4)
    return y


def sum_triton(x):
    y = torch.zeros((), device=x.device, dtype=torch.float32)
    sum_kernel[(triton.cdiv(x.numel(), 4096 * 8),)](x, y, x.numel(), BLOCK=4096, STEPS=8, num_warps=8)
    return y


def gemv_triton(a, x):
    y = torch.empty(a.shape[0], device=a.device, dtype=a.dtype)
    gemv_kernel[(a.shape[0],)](a, x, y, a.shape[1], BLOCK=2048, num_warps=8)
    return y


def rows(request):
    """Eager, compiled and Triton runs of a catalogue kernel."""
    name = request["op"]
    if name in TRAINING:
        torch._dynamo.reset()
        return TRAINING[name](Settings(request["settings"]))
    found = catalogue(name, Settings(request["settings"]))
    if found is None:
        return None, {}
    make, eager, written = found
    if name.endswith("gemm"):
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32_gemm" or request["settings"].get("dtype") == "tf32"
        half = make()[0].dtype == torch.float16
        accumulate_in_f16(half and request["settings"].get("acc") == "f16")
        return make, {"cublas": eager}
    torch._dynamo.reset()
    runs = {"eager": eager, "compile": torch.compile(eager, dynamic=False)}
    if triton and written:
        runs["triton"] = written
    return make, runs


class Prepared:
    """The inputs and runs of the last request: a round of the same one finds them ready, and compiled."""

    def __init__(self):
        self.key, self.sets, self.runs, self.noted = None, [], {}, set()

    def prepare(self, request):
        problem = {k: v for k, v in request.items() if k not in ("warmMs", "iterations")}
        if "settings" in problem:
            problem["settings"] = {k: v for k, v in problem["settings"].items() if k not in OURS}
        key = json.dumps(problem, sort_keys=True)
        if key == self.key:
            return
        self.key, self.sets, self.runs, self.noted = None, [], {}, set()
        torch.cuda.empty_cache()
        torch.manual_seed(0)
        accumulate_in_f16(False)
        known = {"gemm": gemm, "grouped_gemm": grouped_gemm, "dual_gemm": dual_gemm,
                 "sparse_gemm": sparse_gemm, "attention": attention}
        make, self.runs = known.get(request["op"], rows)(request)
        self.sets = rotated(make) if make else []
        self.key = key


def answer(request, prepared):
    if request["op"] == "versions":
        return {"versions": versions()}
    prepared.prepare(request)
    ms, failures, notes = {}, [], []
    for name, run in list(prepared.runs.items()):
        try:
            if isinstance(run, WallClock):
                ms[name] = run.median_ms(prepared.sets, request["warmMs"], request["iterations"])
                if name not in prepared.noted:
                    notes += [f"{request['op']} by {name}: {note}" for note in run.notes(ms[name])]
                    prepared.noted.add(name)
            else:
                ms[name] = median_ms(run, prepared.sets, request["warmMs"], request["iterations"])
        except Exception as failure:
            failures.append(f"{request['op']} by {name}: {type(failure).__name__}: {failure}"[:300])
            del prepared.runs[name]
    return {"op": request["op"], "ms": ms, "failures": failures, "notes": notes}


def main():
    # Whatever a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    prepared = Prepared()
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line), prepared)
        except Exception as failure:
            reply = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(reply), file=answers, flush=True)


if __name__ == "__main__":
    main()
