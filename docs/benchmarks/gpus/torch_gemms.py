"""Times PyTorch's tensor-parallel GEMMs of symmetric memory, a process per GPU: python3 torch_gemms.py GPUS M N K."""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem
import torch.multiprocessing as mp

ROUNDS = 12
RUNS = 10
WARM = 10


def turn(run, runs=RUNS):
    """Milliseconds of a run on all ranks, the slowest rank's."""
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


def rank_main(rank, size, m, n, k):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size, device_id=torch.device("cuda", rank))
    name = dist.group.WORLD.group_name
    symm_mem.enable_symm_mem_for_group(name)
    make = torch.Generator("cuda").manual_seed(rank)

    def random(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16, generator=make)

    rows, weights = random(m // size, k), random(n // size, k).t()
    columns, others = random(m, k // size), random(n, k // size).t()
    gathered = random(m, k)
    part = torch.empty(m // size, n, device="cuda", dtype=torch.bfloat16)

    def nccl_gather():
        dist.all_gather_into_tensor(gathered, rows)
        torch.mm(gathered, weights)

    def nccl_scatter():
        dist.reduce_scatter_tensor(part, torch.mm(columns, others))

    kernels = {
        "all_gather_gemm": {
            "gemm": lambda: torch.mm(gathered, weights),
            "fused": lambda: torch.ops.symm_mem.fused_all_gather_matmul(rows, [weights], 0, name),
            "nccl": nccl_gather,
        },
        "gemm_reduce_scatter": {
            "gemm": lambda: torch.mm(columns, others),
            "fused": lambda: torch.ops.symm_mem.fused_matmul_reduce_scatter(columns, others, "sum", 0, name),
            "nccl": nccl_scatter,
        },
    }
    for kernel, ways in kernels.items():
        times = {way: [] for way in ways}
        for i in range(ROUNDS):
            for way, run in list(ways.items())[:: -1 if i % 2 else 1]:
                turn(run, WARM)  # The clocks are then those of this way's power.
                times[way].append(turn(run))
        if rank == 0:
            row = {"kernel": kernel, "config": f"{m}×{n}×{k} bf16", "gpus": size}
            row.update({way + "Ms": statistics.median(ms) for way, ms in times.items()})
            print(json.dumps(row, ensure_ascii=False), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29512")
    # A program that uses NVLink multicast can put GPUs that others share out of service.
    os.environ.setdefault("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    count, *shape = map(int, sys.argv[1:])
    print(json.dumps({"torch": torch.__version__, "nccl": ".".join(map(str, torch.cuda.nccl.version()))}), flush=True)
    mp.spawn(rank_main, args=(count, *shape), nprocs=count)
