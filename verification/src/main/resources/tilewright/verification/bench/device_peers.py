"""Times PyTorch over several GPUs on request, so that ours and it can alternate in one run: device_peers.py GPUS.

Reads one JSON object a line from stdin and answers each with one JSON object a line on stdout, until stdin ends:

  {"op": "versions"} -> {"versions": {"torch": "..", ..}}

  {"op": "attention|attention_backward", "tokens": .., "heads": .., "kvHeads": .., "headDim": .., "runs": ..,
   "warm": ..}
  -> {"ms": {"allgather": .., "alltoall": ..}}, causal attention of one sequence of bf16 by context_parallel with cuDNN

  {"op": "all_gather_gemm|gemm_reduce_scatter", "m": .., "n": .., "k": .., "runs": .., "warm": ..}
  -> {"ms": {"fused": .., "nccl": ..}}, bf16 by _symmetric_memory's operators, and by NCCL before or after torch.mm

Each GPU has a process that stays. A time is that of a run on the slowest GPU, the mean of "runs" after "warm" others.
What a way cannot do is told in "failures", what nobody can in "error". Processes that do not answer in time are ended.
"""

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import time

DEADLINE_SECONDS = 120


class Rank:
    """One GPU's tensors and runs of the last request: a round of the same one finds them ready."""

    def __init__(self, rank, size):
        import torch
        import torch.distributed as dist

        self.torch, self.dist, self.rank, self.size = torch, dist, rank, size
        self.key, self.runs, self.stack = None, {}, contextlib.ExitStack()
        torch.cuda.set_device(rank)
        dist.init_process_group("nccl", rank=rank, world_size=size, device_id=torch.device("cuda", rank))

    def answer(self, request):
        if request["op"] == "versions":
            return {"versions": self.versions()}
        ms, failures = {}, []
        self.prepare(request)
        for way, run in list(self.runs.items()):
            try:
                self.turn(run, request["warm"])
                ms[way] = self.turn(run, request["runs"])
            except Exception as failure:
                failures.append(f"{request['op']} by {way}: {type(failure).__name__}: {failure}"[:300])
                del self.runs[way]
        return {"ms": ms, "failures": failures}

    def versions(self):
        torch = self.torch
        return {"torch": torch.__version__, "cudnn": str(torch.backends.cudnn.version()),
                "nccl": ".".join(map(str, torch.cuda.nccl.version()))}

    def turn(self, run, runs):
        """Milliseconds of a run on all ranks, the slowest one's."""
        torch = self.torch
        torch.cuda.synchronize()
        self.dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(runs):
            run()
        torch.cuda.synchronize()
        ms = torch.tensor((time.perf_counter() - begin) * 1e3 / max(1, runs), device="cuda")
        self.dist.all_reduce(ms, self.dist.ReduceOp.MAX)
        return ms.item()

    def prepare(self, request):
        key = {name: value for name, value in request.items() if name not in ("runs", "warm")}
        if key == self.key:
            return
        self.key, self.runs = None, {}
        self.stack.close()
        self.stack = contextlib.ExitStack()
        self.torch.cuda.empty_cache()
        makers = {"attention": self.attention, "attention_backward": self.attention,
                  "all_gather_gemm": self.all_gather_gemm, "gemm_reduce_scatter": self.gemm_reduce_scatter}
        self.runs = makers[request["op"]](request)
        self.key = key

    def random(self, *shape):
        torch = self.torch
        make = torch.Generator("cuda").manual_seed(self.rank)
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16, generator=make)

    def attention(self, request):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor.experimental import context_parallel
        from torch.distributed.tensor.experimental._attention import set_rotate_method
        from torch.nn.attention import SDPBackend, sdpa_kernel

        torch = self.torch
        backward = request["op"] == "attention_backward"
        mesh = init_device_mesh("cuda", (self.size,), mesh_dim_names=("cp",))
        heads = (request["heads"], request["kvHeads"], request["kvHeads"])
        q, k, v = buffers = [self.random(1, each, request["tokens"], request["headDim"]) for each in heads]
        self.stack.enter_context(sdpa_kernel(SDPBackend.CUDNN_ATTENTION))
        self.stack.enter_context(context_parallel(mesh, buffers=buffers, buffer_seq_dims=[2, 2, 2],
                                                  no_restore_buffers=set(buffers)))
        if backward:
            for x in buffers:
                x.requires_grad_(True)

        def forward():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

        def way(rotate):
            kept = []

            def ahead():
                set_rotate_method(rotate)
                with torch.no_grad():
                    forward()

            def back():
                set_rotate_method(rotate)
                if not kept:
                    kept.append(forward())
                    kept.append(torch.randn_like(kept[0]))
                torch.autograd.grad(kept[0], (q, k, v), kept[1], retain_graph=True)

            return back if backward else ahead

        return {rotate: way(rotate) for rotate in ("allgather", "alltoall")}

    def group(self):
        import torch.distributed._symmetric_memory as symm_mem

        name = self.dist.group.WORLD.group_name
        symm_mem.enable_symm_mem_for_group(name)
        return name

    def all_gather_gemm(self, request):
        torch, name = self.torch, self.group()
        m, n, k = request["m"], request["n"], request["k"]
        rows, weights = self.random(m // self.size, k), self.random(n // self.size, k).t()
        gathered = self.random(m, k)

        def nccl():
            self.dist.all_gather_into_tensor(gathered, rows)
            torch.mm(gathered, weights)

        return {"fused": lambda: torch.ops.symm_mem.fused_all_gather_matmul(rows, [weights], 0, name), "nccl": nccl}

    def gemm_reduce_scatter(self, request):
        torch, name = self.torch, self.group()
        m, n, k = request["m"], request["n"], request["k"]
        columns, weights = self.random(m, k // self.size), self.random(n, k // self.size).t()
        part = torch.empty(m // self.size, n, device="cuda", dtype=torch.bfloat16)

        def nccl():
            self.dist.reduce_scatter_tensor(part, torch.mm(columns, weights))

        return {"fused": lambda: torch.ops.symm_mem.fused_matmul_reduce_scatter(columns, weights, "sum", 0, name),
                "nccl": nccl}


def rank_main(rank, size, requests):
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    state = None
    while True:
        try:
            request = requests.recv()
        except EOFError:
            return
        try:
            state = state or Rank(rank, size)
            requests.send(state.answer(request))
        except Exception as failure:
            requests.send({"error": f"rank {rank}: {type(failure).__name__}: {failure}"[:500]})


def answer(request, ranks):
    """The answer of rank 0, once all have answered; an error of any rank comes first."""
    for rank in ranks:
        rank.send(request)
    deadline = time.monotonic() + DEADLINE_SECONDS
    answers = []
    for i, rank in enumerate(ranks):
        if not rank.poll(max(0, deadline - time.monotonic())):
            raise TimeoutError(f"rank {i} has not answered {request['op']} in {DEADLINE_SECONDS} seconds")
        answers.append(rank.recv())
        if "error" in answers[-1]:
            return answers[-1]
    return answers[0]


def main():
    size = int(sys.argv[1])
    # An orderly end ends the ranks too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29517")
    # A program that uses NVLink multicast can put GPUs that others share out of service.
    os.environ.setdefault("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    # Whatever a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    processes = multiprocessing.get_context("spawn")
    ranks = []
    for rank in range(size):
        here, there = processes.Pipe()
        processes.Process(target=rank_main, args=(rank, size, there), daemon=True).start()
        ranks.append(here)
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line), ranks)
        except Exception as failure:
            reply = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(reply), file=answers, flush=True)
        if "error" in reply:
            # Ranks may wait for each other from now on.
            break
    answers.close()
    for process in multiprocessing.active_children():
        process.kill()


if __name__ == "__main__":
    main()
