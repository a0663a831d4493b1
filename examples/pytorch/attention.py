"""Attention by Tilewright's wheel beside PyTorch's: largest errors from FP64, and milliseconds of a call."""
import argparse
import importlib.util
import statistics
import sys


def main():
    a = arguments()
    missing = [name for name in ("torch", "tilewright") if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; see README.md")
    import torch
    import torch.nn.functional as F

    if not torch.cuda.is_available():
        sys.exit("no CUDA device")
    from tilewright import flash_attn_func

    torch.manual_seed(1)
    q, k, v = (torch.randn(a.batch, a.tokens, heads, a.dim, device="cuda", dtype=torch.bfloat16)
               for heads in (a.heads, a.kv_heads, a.kv_heads))

    def ours():
        return flash_attn_func(q, k, v, causal=True)

    def theirs():
        # PyTorch has heads before the sequence.
        heads_first = (x.transpose(1, 2) for x in (q, k, v))
        return F.scaled_dot_product_attention(*heads_first, is_causal=True, enable_gqa=True).transpose(1, 2)

    def exact():
        shared = (x.double().repeat_interleave(a.heads // x.shape[2], 2).transpose(1, 2) for x in (q, k, v))
        return F.scaled_dot_product_attention(*shared, is_causal=True).transpose(1, 2)

    right = exact()
    for name, call in (("tilewright", ours), ("scaled_dot_product_attention", theirs)):
        error = (call().double() - right).abs().max().item()
        print(f"{name:28} error {error:.2e} ms {milliseconds(torch, call):.3f}")


def milliseconds(torch, call, calls=20):
    """The median of some calls, after some that are not counted."""
    times = []
    for _ in range(2 * calls):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times[calls:])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--kv-heads", type=int, default=4, help="heads of keys and values; they divide --heads")
    parser.add_argument("--dim", type=int, default=128)
    chosen = parser.parse_args()
    if chosen.heads % chosen.kv_heads:
        parser.error(f"--heads {chosen.heads} is no multiple of --kv-heads {chosen.kv_heads}")
    return chosen


main()
