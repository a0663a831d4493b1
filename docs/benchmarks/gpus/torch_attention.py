"""Times PyTorch's context_parallel attention and its gradients, a process per GPU, beside one GPU of them.

python3 torch_attention.py GPUS TOKENS[,TOKENS...]
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental import context_parallel
from torch.distributed.tensor.experimental._attention import set_rotate_method
from torch.nn.attention import SDPBackend, sdpa_kernel

HEADS, KEY_HEADS, DIM = 32, 8, 128
ROUNDS = 5
LEAST_MS = 100
MOST_RUNS = 4


def turn(run, runs):
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(runs):
        run()
    torch.cuda.synchronize()
    ms = torch.tensor((time.perf_counter() - begin) * 1e3 / runs, device="cuda")
    dist.all_reduce(ms, dist.ReduceOp.MAX)
    return ms.item()


def timed(run):
    run()
    runs = min(MOST_RUNS, max(1, int(LEAST_MS / turn(run, 1))))
    return statistics.median(turn(run, runs) for _ in range(ROUNDS))


def both(q, k, v):
    """Milliseconds of the forward and the backward pass."""

    def forward():
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    with torch.no_grad():
        ahead = timed(forward)
    for x in (q, k, v):
        x.requires_grad_(True)
    out = forward()
    gradient = torch.randn_like(out)
    back = timed(lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True))
    return ahead, back


def rank_main(rank, size, lengths):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size, device_id=torch.device("cuda", rank))
    mesh = init_device_mesh("cuda", (size,), mesh_dim_names=("cp",))
    for tokens in lengths:
        def tensors():
            make = torch.Generator("cuda").manual_seed(1)
            return [torch.randn(1, heads, tokens, DIM, device="cuda", dtype=torch.bfloat16, generator=make)
                    for heads in (HEADS, KEY_HEADS, KEY_HEADS)]

        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            one = both(*tensors())
            for rotate in ("allgather", "alltoall"):
                row = {"config": f"1×{tokens}×{HEADS}/{KEY_HEADS}×{DIM} bf16 causal", "gpus": size, "rotate": rotate,
                       "oneMs": one[0], "oneBackwardMs": one[1]}
                try:
                    set_rotate_method(rotate)
                    buffers = tensors()
                    with context_parallel(mesh, buffers=buffers, buffer_seq_dims=[2, 2, 2],
                                          no_restore_buffers=set(buffers)):
                        row["ms"], row["backwardMs"] = both(*buffers)
                except Exception as e:  # A way that fails is a result too.
                    row["error"] = str(e)[:200]
                if rank == 0:
                    print(json.dumps(row, ensure_ascii=False), flush=True)
                del buffers
                torch.cuda.empty_cache()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29513")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    print(json.dumps({"torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}), flush=True)
    mp.spawn(rank_main, args=(int(sys.argv[1]), list(map(int, sys.argv[2].split(",")))), nprocs=int(sys.argv[1]))
