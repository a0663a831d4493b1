"""Tilewright's operators on PyTorch's tensors.

Plain functions run a kernel at once. Inside ``torch.compile``, ``torch.export`` and wherever tensors are fake they are
operators of ``torch.library`` under ``torch.ops.tilewright``, with meta functions and gradients.
"""

import threading

import torch
import torch.nn.functional as F

from . import _runtime

FAR = 1 << 29  # a window's bound of more positions hides nothing
_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16"}
_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_current = getattr(torch._C, "_cuda_getDevice", None)


class _Plans(threading.local):
    """Prepared launches by problem, a set for each thread: a launch patches what it passes to the driver."""

    def __init__(self):
        self.forward, self.backward = {}, {}


_plans = _Plans()


def _mask(causal, left, right):
    """The kind of mask in the package's data, and the window's bounds."""
    if causal:
        right = 0
    if left < 0 and right < 0:
        return "all", 0, 0
    if left < 0 and right == 0:
        return "causal", 0, 0
    return "window", min(left, FAR) if left >= 0 else FAR, min(right, FAR) if right >= 0 else FAR


def _strides(numbers, name, tensor, packed):
    """Notes a tensor's strides; one that is never walked is aligned whatever it is."""
    modes = "sh" if packed else "bsh"
    for mode, size, stride in zip(modes, tensor.shape, tensor.stride()):
        numbers[f"{name}_{mode}"] = stride if size > 1 else 0
    numbers.setdefault(f"{name}_b", 0)


def _check(q, k, v, packed):
    rank = 3 if packed else 4
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if tensor.dim() != rank:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}: needed is "
                             + ("(tokens, heads, dim)" if packed else "(batch, sequence, heads, dim)"))
        if tensor.dtype not in _TYPES:
            raise TypeError(f"{name} is {tensor.dtype}: needed is torch.bfloat16 or torch.float16")
        if tensor.dtype != q.dtype:
            raise TypeError(f"{name} is {tensor.dtype}, but q is {q.dtype}")
        if tensor.device != q.device:
            raise ValueError(f"{name} is on {tensor.device}, but q is on {q.device}")
        if not tensor.is_cuda:
            raise ValueError(f"{name} is on {tensor.device}: needed is a CUDA device")
    if k.shape[:-1] != v.shape[:-1]:
        raise ValueError(f"k has shape {tuple(k.shape)} and v {tuple(v.shape)}: only their last extents may differ")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has head dimension {q.shape[-1]}, but k has {k.shape[-1]}")
    if q.shape[-1] != v.shape[-1]:
        raise NotImplementedError(f"q has head dimension {q.shape[-1]} and v {v.shape[-1]}: needed are equal ones")
    if not packed and q.shape[0] != k.shape[0]:
        raise ValueError(f"q has a batch of {q.shape[0]}, but k has {k.shape[0]}")
    heads, shared = q.shape[-2], k.shape[-2]
    if shared == 0 and heads > 0 or shared > 0 and heads % shared:
        raise ValueError(f"{heads} heads do not share {shared} heads of keys: they must be a multiple")


def _aligned(tensor):
    """The tensor, or a copy of it whose rows begin at multiples of 16 bytes and are contiguous."""
    fits = (tensor.stride(-1) == 1 or tensor.shape[-1] <= 1) and not any(
        stride % 8 for size, stride in zip(tensor.shape[:-1], tensor.stride()) if size > 1)
    return tensor if fits and tensor.data_ptr() % 16 == 0 else tensor.clone(memory_format=torch.contiguous_format)


class _Numbers(dict):
    """A problem's numbers."""

    @classmethod
    def of(cls, q, k, left, right, sequences, longest, packed):
        numbers = cls(H=q.shape[-2], Hk=k.shape[-2], D=q.shape[-1], Dv=q.shape[-1], L=left, R=right)
        if packed:
            numbers.update(B=1, Sq=q.shape[0], Sk=k.shape[0], N=sequences, M=longest)
        else:
            numbers.update(B=q.shape[0], Sq=q.shape[1], Sk=k.shape[1])
        return numbers


class _Forward:
    """The forward launches of a problem, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "tiles", "cuQ", "cuK")

    def __init__(self, q, k, v, scale, causal, left, right, packed, sequences, longest):
        _check(q, k, v, packed)
        self.ordinal = q.get_device()
        self.device = _runtime.device(self.ordinal)
        kind, left, right = _mask(causal, left, right)
        case = self.device.data.case("attention_forward",
                                     f"{_TYPES[q.dtype]}-{kind}" + ("-packed" if packed else ""))
        dim, only = q.shape[-1], case.only("dim")
        self.dim = next((d for d in only if d >= dim), None) if only else -(-dim // 8) * 8
        self.pad = 0 if self.dim is None else self.dim - dim
        self.copies = any(_aligned(x) is not x for x in (q, k, v)) or self.pad > 0
        q, k, v = self.given(q, k, v)
        o, lse = self.results(q)
        numbers = _Numbers.of(q, k, left, right, sequences, longest, packed)
        for name, tensor in (("q", q), ("k", k), ("v", v), ("o", o)):
            _strides(numbers, name, tensor, packed)
        if packed:
            numbers.update(lse_b=0, lse_h=lse.stride(0), lse_s=1)
        else:
            numbers.update(lse_b=lse.stride(0), lse_h=lse.stride(1), lse_s=1)
        self.empty = o.numel() == 0
        self.launches = None
        if not self.empty:
            template = case.choose(numbers) if self.dim is not None else None
            if template is None:
                raise NotImplementedError(f"no attention for head dimension {dim}: at most 256")
            self.launches = self.device.launches(template, numbers, self.NAMES, {"scale": scale})

    def given(self, *tensors):
        """The tensors as the kernel takes them."""
        if self.pad:
            tensors = [F.pad(x, (0, self.pad)) for x in tensors]
        return [_aligned(x) for x in tensors]

    @staticmethod
    def results(q):
        """New tensors for O and the rows' logarithms."""
        shape = q.shape
        logarithms = (shape[0], shape[2], shape[1]) if len(shape) == 4 else (shape[1], shape[0])
        return (torch.empty(shape, dtype=q.dtype, device=q.device),
                torch.empty(logarithms, dtype=torch.float32, device=q.device))

    def run(self, q, k, v, cu_q, cu_k):
        """Enqueues the launches; gives O and the logarithms."""
        dim = q.shape[-1]
        if self.copies:
            q, k, v = self.given(q, k, v)
        o, lse = self.results(q)
        if not self.empty:
            stream = _stream(self.ordinal)
            self.launches.run((q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr(),
                               self.device.counter(stream), cu_q, cu_k), stream, self.ordinal)
        return (o[..., :dim] if self.pad else o), lse


def _forward(q, k, v, scale, causal, left, right):
    key = (q.shape, k.shape, v.shape, q.stride(), k.stride(), v.stride(), q.dtype, k.dtype, v.dtype, q.get_device(),
           scale, causal, left, right, (q.data_ptr() | k.data_ptr() | v.data_ptr()) & 15)
    plan = _plans.forward.get(key)
    if plan is None:
        plan = _plans.forward[key] = _Forward(q, k, v, scale, causal, left, right, False, 0, 0)
    if plan.ordinal != _current():
        with torch.cuda.device(plan.ordinal):
            return plan.run(q, k, v, 0, 0)
    return plan.run(q, k, v, 0, 0)


def _lengths(name, cumulated, device):
    if cumulated.dtype != torch.int32 or cumulated.dim() != 1 or not cumulated.is_contiguous():
        raise TypeError(f"{name} is {cumulated.dtype} of shape {tuple(cumulated.shape)}: needed is a contiguous vector "
                        "of torch.int32")
    if cumulated.device != device:
        raise ValueError(f"{name} is on {cumulated.device}, but q is on {device}")
    if cumulated.shape[0] < 2:
        raise ValueError(f"{name} has {cumulated.shape[0]} elements: needed is one more than there are sequences")


def _forward_varlen(q, k, v, cu_q, cu_k, longest_q, longest_k, scale, causal, left, right):
    key = (q.shape, k.shape, v.shape, q.stride(), k.stride(), v.stride(), q.dtype, k.dtype, v.dtype, q.get_device(),
           scale, causal, left, right, cu_q.shape, cu_k.shape, longest_q,
           (q.data_ptr() | k.data_ptr() | v.data_ptr()) & 15)
    plan = _plans.forward.get(key)
    if plan is None:
        _lengths("cu_seqlens_q", cu_q, q.device)
        _lengths("cu_seqlens_k", cu_k, q.device)
        if cu_q.shape != cu_k.shape:
            raise ValueError(f"cu_seqlens_q has {cu_q.shape[0]} elements, but cu_seqlens_k has {cu_k.shape[0]}")
        plan = _plans.forward[key] = _Forward(q, k, v, scale, causal, left, right, True, cu_q.shape[0] - 1, longest_q)
    with torch.cuda.device(plan.ordinal):
        return plan.run(q, k, v, cu_q.data_ptr(), cu_k.data_ptr())


def attention(q, k, v, *, scale=None, causal=False, window=(-1, -1)):
    """softmax(scale · Q·Kᵀ)·V of (batch, sequence, heads, dim) tensors, and the logarithms of its rows' sums.

    Heads of q that share a head of k and v are as in grouped-query attention. The last query is aligned with the last
    key. Each query sees the keys from window[0] before its position to window[1] behind it; -1 is all of that side.

    :returns: (batch, sequence, heads, dim), and FP32 of (batch, heads, sequence), -inf for a query without keys
    """
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return _forward(q, k, v, scale, bool(causal), int(window[0]), int(window[1]))


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, *, scale=None, causal=False,
                     window=(-1, -1)):
    """Attention of sequences that lie one after the other, (tokens, heads, dim): number i has the tokens from
    cu_seqlens[i] to before cu_seqlens[i + 1].

    :returns: (tokens, heads, dim), and FP32 of (heads, tokens)
    """
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return _forward_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, int(max_seqlen_q), int(max_seqlen_k), scale,
                           bool(causal), int(window[0]), int(window[1]))


def sdpa(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Takes the place of torch.nn.functional.scaled_dot_product_attention: (batch, heads, sequence, dim) tensors.

    A causal mask is aligned with the first key, as PyTorch's is, so that it needs as many keys as queries.
    """
    if attn_mask is not None:
        raise NotImplementedError("attn_mask is given: needed is None, or is_causal=True")
    if dropout_p:
        raise NotImplementedError(f"dropout_p is {dropout_p}: needed is 0")
    if is_causal and query.shape[-2] != key.shape[-2]:
        raise NotImplementedError(f"is_causal of {query.shape[-2]} queries and {key.shape[-2]} keys: needed are as many "
                                  "keys as queries; attention(causal=True) aligns the last of both")
    if not enable_gqa and query.shape[-3] != key.shape[-3]:
        raise ValueError(f"query has {query.shape[-3]} heads and key {key.shape[-3]}: needed is enable_gqa=True")
    o, _ = attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), scale=scale, causal=is_causal)
    return o.transpose(1, 2)
