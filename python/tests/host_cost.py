"""Host time of a call for a shape that is known, in µs: python3 tests/host_cost.py"""

import time

import torch
import torch.nn.functional as F

from tilewright import flash_attn_func

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
    empty = torch.library.custom_op("host_cost::empty", lambda x: torch.empty_like(x), mutates_args=(),
                                    schema="(Tensor x) -> Tensor")
    empty.register_fake(lambda x: torch.empty_like(x))
    print(f"flash_attn_func                        {cost(lambda: flash_attn_func(q, k, v, causal=True)):6.1f}")
    print(f"flash_attn_func, which keeps gradients {cost(lambda: flash_attn_func(*learnt, causal=True)):6.1f}")
    options = (0.125, True, -1, -1, False, 0.0)
    operator = torch.ops.tilewright.attention_forward
    print(f"torch.ops.tilewright.attention_forward {cost(lambda: operator(q, k, v, *options)):6.1f}")
    print(f"an operator that does nothing          {cost(lambda: torch.ops.host_cost.empty(q)):6.1f}")
    attention = F.scaled_dot_product_attention
    print(f"scaled_dot_product_attention           {cost(lambda: attention(*heads_first, is_causal=True)):6.1f}")


if __name__ == "__main__":
    main()
