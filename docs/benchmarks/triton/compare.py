"""Times exported kernels beside Triton's in one process, interleaved: GEMM (the tutorial's kernel, autotuned), RMS norm.

Usage: compare.py EXPORTS PEERS OUT.json [KERNEL]
  EXPORTS  a folder of exports: gemm-4096, gemm-8192, rms-128, rms-1024, rms-65536
  PEERS    the folder of peers.py, whose Triton kernels are used for rows
  KERNEL   only this export, three launches of each side and no timing: what Nsight Compute profiles
"""

import json
import statistics
import sys

import torch
import triton
import triton.language as tl

sys.path.insert(0, sys.argv[2])
import peers  # noqa: E402

ELEMENTS = 1 << 28


def configs():
    return [triton.Config({"BM": m, "BN": n, "BK": 64, "GROUP": 8}, num_warps=w, num_stages=s)
            for m, n, w in ((128, 128, 4), (128, 256, 8), (64, 256, 4), (256, 128, 8)) for s in (3, 4)]


@triton.autotune(configs=configs(), key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """C = A·Bᵀ as in Triton's tutorial "Matrix Multiplication", with B stored as N×K."""
    program = tl.program_id(0)
    across = tl.cdiv(n, BN)
    in_group = GROUP * across
    first = program // in_group * GROUP
    rows = min(tl.cdiv(m, BM) - first, GROUP)
    pm = first + program % in_group % rows
    pn = program % in_group // rows
    im = (pm * BM + tl.arange(0, BM)) % m
    jn = (pn * BN + tl.arange(0, BN)) % n
    kk = tl.arange(0, BK)
    at = a + im[:, None] * k + kk[None, :]
    bt = b + jn[None, :] * k + kk[:, None]
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        total = tl.dot(tl.load(at), tl.load(bt), total)
        at += BK
        bt += BK
    i = pm * BM + tl.arange(0, BM)
    j = pn * BN + tl.arange(0, BN)
    tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty), mask=(i[:, None] < m) & (j[None, :] < n))


def gemm(export, size):
    a, b = (torch.randn(size, size, device="cuda").bfloat16() for _ in range(2))
    ours, theirs = (torch.empty(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    kernel = export()
    # The kernel has a batch.
    tensors = {name: tensor[:, :, None] for name, tensor in (("A", a), ("B", b), ("C", ours))}

    def by_triton():
        matmul_kernel[lambda meta: (triton.cdiv(size, meta["BM"]) * triton.cdiv(size, meta["BN"]),)](
            a, b, theirs, size, size, size)

    runs = {"ours": lambda: kernel(alpha=1.0, **tensors), "triton": by_triton,
            "cublas": lambda: torch.mm(a, b.t(), out=theirs)}
    return runs, 2 * size ** 3 / 1e12, "TFLOP/s", lambda: (ours.float(), (a.float() @ b.float().t()))


def rms(export, n):
    m = ELEMENTS // n
    x = torch.randn(m, n, device="cuda").bfloat16()
    w = torch.randn(n, device="cuda").bfloat16()
    y = torch.empty_like(x)
    kernel = export()
    by_triton = peers.row_triton("rms_norm")
    runs = {"ours": lambda: kernel(X=x, W=w, Y=y), "triton": lambda: by_triton(x, w)}
    return runs, 4 * ELEMENTS / 1e12, "TB/s", lambda: (y.float(), by_triton(x, w).float())


def milliseconds(run, times):
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(times)]
    for start, end in events:
        start.record()
        run()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in events)


def main():
    exports, out = sys.argv[1], sys.argv[3]
    sys.path.insert(0, exports + "/gemm-4096")
    from tilewright_kernel import Kernel
    rows = []
    for name in ("gemm-4096", "gemm-8192", "rms-128", "rms-1024", "rms-65536"):
        if len(sys.argv) > 4 and name != sys.argv[4]:
            continue
        kind, size = name.split("-")
        make = {"gemm": gemm, "rms": rms}[kind]
        runs, amount, unit, check = make(lambda: Kernel(f"{exports}/{name}"), int(size))
        for run in runs.values():
            for _ in range(3):
                run()
        torch.cuda.synchronize()
        if len(sys.argv) > 4:
            return
        ours, reference = check()
        assert torch.allclose(ours, reference, rtol=2e-2, atol=1e-1), name
        rounds = [{side: amount / milliseconds(run, 8) * 1e3 for side, run in runs.items()} for _ in range(9)]
        peer = {side: statistics.median(r[side] for r in rounds) for side in runs if side != "ours"}
        ratios = sorted(r["ours"] / r["triton"] for r in rounds)
        rows.append({"kernel": {"gemm": "sm90_gemm", "rms": "rms_norm"}[kind], "arch": "sm90",
                     "config": name + " bf16", "unit": unit, "ours": statistics.median(r["ours"] for r in rounds),
                     "peers": peer, "ratio": statistics.median(ratios), "ratioSpread": [ratios[0], ratios[-1]]})
        print(rows[-1], flush=True)
    versions = {"torch": torch.__version__, "triton": triton.__version__}
    with open(out, "w") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "versions": versions, "rows": rows}, file)


main()
