"""Host time of a call for a shape that is known, in µs: python3 tests/host_cost.py"""

import time

import torch
import torch.nn.functional as F

from tilewright import flash_attn_func, ops, rms_norm

CALLS, ROUNDS = 200, 30


def cost(call):
    """The least mean of a number of rounds; the GPU is idle at the begin of each."""
    for _ in range(20):
        call()
    rounds = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter() - begin) / CALLS)
    return 1e6 * min(rounds)


def main():
    q, k, v = (torch.randn(1, 64, 4, 64, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    heads_first = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
    learnt = [x.clone().requires_grad_() for x in (q, k, v)]
    x, w = (torch.randn(*shape, 1024, device="cuda", dtype=torch.bfloat16) for shape in ((16,), ()))
    empty = torch.library.custom_op("host_cost::empty", lambda x: torch.empty_like(x), mutates_args=(),
                                    schema="(Tensor x) -> Tensor")
    empty.register_fake(lambda x: torch.empty_like(x))
    options = (None, 0.125, True, -1, -1, False, 0.0)
    operator = torch.ops.tilewright.attention_forward
    for name, call in [
        ("flash_attn_func", lambda: flash_attn_func(q, k, v, causal=True)),
        ("flash_attn_func, which keeps gradients", lambda: flash_attn_func(*learnt, causal=True)),
        ("flash_attn_func, and its gradients", lambda: flash_attn_func(*learnt, causal=True).backward(q)),
        ("torch.ops.tilewright.attention_forward", lambda: operator(q, k, v, *options)),
        ("an operator that does nothing", lambda: torch.ops.host_cost.empty(q)),
        ("scaled_dot_product_attention", lambda: F.scaled_dot_product_attention(*heads_first, is_causal=True)),
        ("rms_norm", lambda: rms_norm(x, w)), ("torch's rms_norm", lambda: F.rms_norm(x, (1024,), w, 1e-5)),
        *parts(q, k, v)]:
        print(f"{name:40}{cost(call):6.1f}")


def parts(q, k, v):
    """What a call is made of, for the plan of one that was made before."""
    flash_attn_func(q, k, v, causal=True)
    plan = ops._plans.forward[next(reversed(ops._plans.forward))]
    o, lse = plan.o.tensor(), plan.lse.tensor()
    stream = torch.cuda.current_stream().cuda_stream
    addresses = [x.data_ptr() for x in (q, k, v, o, lse)] + [plan.device.counter(stream), 0, 0, 0]
    yield "  new outputs", lambda: (plan.o.tensor(), plan.lse.tensor())
    yield "  launches, all addresses known", lambda: plan.launches.run(addresses, stream, 0)
    yield "  and outputs", lambda: plan.run(q, k, v, None, addresses[:3])


if __name__ == "__main__":
    main()
