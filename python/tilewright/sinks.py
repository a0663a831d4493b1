"""Attention with sinks: a logit of each head takes part in the softmax of its rows, like the score of a key whose value
is 0 (gpt-oss). They have no gradients.
"""

import torch

from ._cache import form
from ._torch import PLAIN, Plans, is_tracing, is_transforming, keeps_gradients, register
from .ops import Forward, bounds, cast, check_lengths, fake_forward, normal

_plans = Plans()


def check_sinks(sinks, q):
    """The sinks in FP32 and dense memory."""
    if sinks.dtype not in (torch.float32, torch.bfloat16, torch.float16) or tuple(sinks.shape) != (q.shape[-2],):
        raise ValueError(f"sinks are {sinks.dtype} of shape {tuple(sinks.shape)}: needed are torch.float32, "
                         f"torch.bfloat16 or torch.float16 of ({q.shape[-2]},), one for each head")
    if sinks.device != q.device:
        raise ValueError(f"sinks are on {sinks.device}, but q is on {q.device}")
    sinks = sinks if sinks.dtype is torch.float32 else sinks.to(torch.float32)
    return sinks if sinks.is_contiguous() else sinks.contiguous()


def lone(sinks, shape):
    """The logarithms of rows without keys, which are those of a sink alone."""
    of_rows = sinks.reshape(-1, 1) if len(shape) == 2 else sinks.reshape(1, -1, 1)
    return of_rows.expand(shape).contiguous()


class _WithSinks(Forward):
    """The forward launches of a problem, whose numbers of each head are the sinks."""

    NAMES = (*Forward.NAMES[:-1], "sinks")
    OF_HEADS = "sinks"

    def of_heads(self, sinks, q, entries):
        return sinks

    def run(self, q, k, v, sinks, addresses, cu_q=0, cu_k=0):
        o, lse = super().run(q, k, v, sinks, addresses, cu_q, cu_k)
        return o, lone(sinks, lse.shape) if self.empty else lse


def _run(q, k, v, sinks, cu_q, cu_k, longest, scale, causal, left, right):
    options = scale, causal, left, right, False, 0.0
    key = (*map(form, (q, k, v, sinks, cu_q, cu_k)), longest, options)
    plan = _plans.known.get(key)
    if plan is None:
        if cu_q is not None:
            check_lengths("cu_seqlens_q", cu_q, q.device)
            check_lengths("cu_seqlens_k", cu_k, q.device)
            if cu_q.shape != cu_k.shape:
                raise ValueError(f"cu_seqlens_q has {cu_q.shape[0]} elements, but cu_seqlens_k has {cu_k.shape[0]}")
        plan = _plans.known[key] = _WithSinks(q, k, v, sinks, options, cu_q, longest)
    lengths = (cu_q.data_ptr(), cu_k.data_ptr()) if cu_q is not None else (0, 0)
    return plan.run(q, k, v, sinks, (q.data_ptr(), k.data_ptr(), v.data_ptr()), *lengths)


def _no_gradients(ctx, *_):
    raise NotImplementedError("attention with sinks has no gradients: needed are tensors without requires_grad")


register("attention_sinks",
         "(Tensor q, Tensor k, Tensor v, Tensor sinks, Tensor? cu_q, Tensor? cu_k, int longest, float scale, "
         "bool causal, int left, int right) -> (Tensor, Tensor)", _run, fake_forward, _no_gradients)


def attention_with_sinks(q, k, v, sinks, cu_q=None, cu_k=None, longest=0, *, scale, causal, window):
    """Attention as ops.attention has it, or of packed sequences as ops.attention_varlen."""
    if q.dtype is torch.float32:
        q, k, v = cast(q, k, v)
    sinks = check_sinks(sinks, q)
    scale, causal, left, right, _, _ = normal((scale, causal, *bounds(window), False, 0.0), q.shape[-1])
    given = q, k, v, sinks, cu_q, cu_k, int(longest), scale, causal, left, right
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        return torch.ops.tilewright.attention_sinks(*given)
    if keeps_gradients() and any(x.requires_grad for x in (q, k, v, sinks)):
        _no_gradients(None)
    return _run(*given)
