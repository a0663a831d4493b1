"""Times PyTorch's kernels on request, so that ours and a peer's can alternate in one run.

Reads one JSON object a line from stdin and answers each with one JSON object a line on stdout, until stdin ends:

  {"op": "gemm", "m": .., "n": .., "k": .., "dtype": "bf16|f16|f32|tf32", "transA": false, "transB": true,
   "iterations": 20, "warmup": 5}
  -> {"op": "gemm", "ms": median of one run, "tflops": .., "versions": {..}}

  {"op": "attention", "batch": .., "heads": .., "kvHeads": .., "queries": .., "keys": .., "headDim": .., "dtype": ..,
   "causal": false, "backward": false, "iterations": .., "warmup": ..}
  -> the same; "backward" times the backward pass alone

A is M x K and B is K x N as cuBLAS sees them, row-major; a transposed operand is stored the other way round. Inputs are
N(0, 1) with a fixed seed, several sets in turn, so that together they exceed the L2 cache. A causal mask is aligned
to the first key. A failure is answered as {"error": ".."}.
"""

import json
import statistics
import sys

import torch
import torch.nn.functional as F

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "tf32": torch.float32}
ROTATED_BYTES = 256 << 20
MAX_SETS = 64


def versions():
    return {
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cublas": cublas_version(),
        "cudnn": torch.backends.cudnn.version(),
    }


def cublas_version():
    """PyTorch does not tell; the library's own answer, by its C interface."""
    import ctypes

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
    size = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
    while len(sets) * size < ROTATED_BYTES and len(sets) < MAX_SETS:
        sets.append(make())
    return sets


def median_ms(run, sets, warmup, iterations):
    for i in range(warmup):
        run(*sets[i % len(sets)])
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(iterations)]
    for i, (start, end) in enumerate(events):
        start.record()
        run(*sets[(warmup + i) % len(sets)])
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in events)


def gemm(request):
    m, n, k = request["m"], request["n"], request["k"]
    dtype = DTYPES[request["dtype"]]
    torch.backends.cuda.matmul.allow_tf32 = request["dtype"] == "tf32"

    def operand(rows, columns, transposed):
        stored = normal(columns, rows, dtype=dtype) if transposed else normal(rows, columns, dtype=dtype)
        return stored.t() if transposed else stored

    def make():
        a = operand(m, k, request.get("transA", False))
        b = operand(k, n, request.get("transB", False))
        return a, b, torch.empty(m, n, device="cuda", dtype=dtype)

    return make, lambda a, b, c: torch.matmul(a, b, out=c), 2 * m * n * k


def attention(request):
    batch, heads, head_dim = request["batch"], request["heads"], request["headDim"]
    kv_heads = request.get("kvHeads", heads)
    queries, keys = request["queries"], request["keys"]
    dtype, causal, backward = DTYPES[request["dtype"]], request.get("causal", False), request.get("backward", False)

    def tensor(count, length):
        return normal(batch, count, length, head_dim, dtype=dtype).requires_grad_(backward)

    def forward(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=kv_heads != heads)

    def make():
        q, k, v = tensor(heads, queries), tensor(kv_heads, keys), tensor(kv_heads, keys)
        if not backward:
            return q, k, v
        return q, k, v, forward(q, k, v), normal(batch, heads, queries, head_dim, dtype=dtype)

    def run_backward(q, k, v, out, gradient):
        torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)

    operations = 4 * batch * heads * queries * keys * head_dim * (0.5 if causal else 1) * (2.5 if backward else 1)
    return make, run_backward if backward else forward, operations


OPERATIONS = {"gemm": gemm, "attention": attention}


def answer(request):
    torch.manual_seed(0)
    make, run, operations = OPERATIONS[request["op"]](request)
    ms = median_ms(run, rotated(make), request["warmup"], request["iterations"])
    return {"op": request["op"], "ms": ms, "tflops": operations / ms * 1e-9, "versions": versions()}


def main():
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as failure:
            reply = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
