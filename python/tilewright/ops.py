"""Tilewright's operators on PyTorch's tensors.

Plain functions run a kernel at once. Inside ``torch.compile``, ``torch.export`` and wherever tensors are fake they are
operators of ``torch.library`` under ``torch.ops.tilewright``, with meta functions and gradients.
"""

import math
import numbers
import threading

import torch
import torch.nn.functional as F

from . import _runtime
from ._torch import PLAIN, New, current_device, current_stream, is_tracing, keeps_gradients, register

FAR = 1 << 29  # a window's bound of more positions hides nothing
TYPES = {torch.bfloat16: "bf16", torch.float16: "f16"}


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


def strides(numbers, name, tensor, packed):
    """Notes a tensor's strides; one that is never walked is aligned whatever it is."""
    modes = "sh" if packed else "bsh"
    for mode, size, stride in zip(modes, tensor.shape, tensor.stride()):
        numbers[f"{name}_{mode}"] = stride if size > 1 else 0
    numbers.setdefault(f"{name}_b", 0)


def check(q, k, v, packed, same_dims=True):
    """Refuses tensors that are none of attention's; ``same_dims`` says whether v has the head dimension of q."""
    rank = 3 if packed else 4
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if tensor.dim() != rank:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}: needed is "
                             + ("(tokens, heads, dim)" if packed else "(batch, sequence, heads, dim)"))
        if tensor.dtype not in TYPES:
            raise TypeError(f"{name} is {tensor.dtype}: needed is torch.bfloat16 or torch.float16")
        if tensor.dtype != q.dtype:
            raise TypeError(f"{name} is {tensor.dtype}, but q is {q.dtype}")
        if tensor.device != q.device:
            raise ValueError(f"{name} is on {tensor.device}, but q is on {q.device}")
    if not q.is_cuda:
        raise ValueError(f"q is on {q.device}: needed is a CUDA device")
    if k.shape[:-1] != v.shape[:-1]:
        raise ValueError(f"k has shape {tuple(k.shape)} and v {tuple(v.shape)}: only their last extents may differ")
    if not q.shape[-1]:
        raise ValueError("q has head dimension 0: needed is at least 1")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has head dimension {q.shape[-1]}, but k has {k.shape[-1]}")
    if same_dims and q.shape[-1] != v.shape[-1]:
        raise NotImplementedError(f"q has head dimension {q.shape[-1]} and v {v.shape[-1]}: needed are equal ones")
    if not packed and q.shape[0] != k.shape[0]:
        raise ValueError(f"q has a batch of {q.shape[0]}, but k has {k.shape[0]}")
    heads, shared = q.shape[-2], k.shape[-2]
    if shared == 0 and heads > 0 or shared > 0 and heads % shared:
        raise ValueError(f"{heads} heads do not share {shared} heads of keys: they must be a multiple")


def aligned(tensor):
    """The tensor, or a copy of it whose rows begin at multiples of 16 bytes and are contiguous."""
    fits = (tensor.stride(-1) == 1 or tensor.shape[-1] <= 1) and not any(
        stride % 8 for size, stride in zip(tensor.shape[:-1], tensor.stride()) if size > 1)
    return tensor if fits and tensor.data_ptr() % 16 == 0 else tensor.clone(memory_format=torch.contiguous_format)


def _rows(q):
    """The shape of the rows' logarithms."""
    shape = q.shape
    return (shape[0], shape[2], shape[1]) if len(shape) == 4 else (shape[1], shape[0])


def _normal(scale, causal, window, deterministic, softcap, dim):
    """Options as the operators take them."""
    scale = max(1, dim) ** -0.5 if scale is None else float(scale)
    if not scale > 0:
        raise ValueError(f"scale is {scale}: needed is a positive number")
    if not softcap >= 0:
        raise ValueError(f"softcap is {softcap}: needed is a positive number, or 0 for none")
    return scale, bool(causal), int(window[0]), int(window[1]), bool(deterministic), float(softcap)


class _Problem:
    """What the passes of attention have in common: the case of a problem, and how tensors become its."""

    def __init__(self, operator, q, k, v, options, cu_q, longest):
        check(q, k, v, cu_q is not None)
        window = options[2]
        if len(window) != 2 or not all(isinstance(bound, numbers.Integral) for bound in window):
            raise TypeError(f"window is {window}: needed are two whole numbers")
        scale, causal, left, right, deterministic, softcap = _normal(*options, q.shape[-1])
        self.packed = cu_q is not None
        self.ordinal = q.get_device()
        self.device = _runtime.device(self.ordinal)
        self.scalars = {"scale": scale, "softcap": softcap, "softcapRate": 2 / softcap if softcap else 0.0}
        kind, left, right = _mask(causal, left, right)
        key = "-".join([TYPES[q.dtype], kind] + ["softcap"] * (softcap > 0) + ["packed"] * self.packed
                       + ["deterministic"] * deterministic)
        self.case = self.device.data.case(operator, key)
        dim, only = q.shape[-1], self.case.only("dim")
        filled = next((d for d in only if d >= dim), 0)
        if dim > filled:
            raise NotImplementedError(f"head dimension {dim}: needed is at most {only[-1]}")
        self.pad = filled - dim
        self.numbers = dict(H=q.shape[-2], Hk=k.shape[-2], D=filled, Dv=filled, L=left, R=right)
        if self.packed:
            self.numbers.update(B=1, Sq=q.shape[0], Sk=k.shape[0], N=cu_q.shape[0] - 1, M=longest)
        else:
            self.numbers.update(B=q.shape[0], Sq=q.shape[1], Sk=k.shape[1])
        self.copies = self.pad > 0
        # PyTorch's tensors without elements have no address: no kernel may be given one.
        self.empty = 0 in q.shape or 0 in k.shape or self.packed and (longest < 1 or self.numbers["N"] < 1)

    def given(self, *tensors):
        """The tensors as the kernel takes them."""
        if self.pad:
            tensors = [F.pad(x, (0, self.pad)) for x in tensors]
        return [aligned(x) for x in tensors]

    def prepare(self, names, lse, **tensors):
        """Finds the launches for tensors with these strides."""
        for name, tensor in tensors.items():
            strides(self.numbers, name, tensor, self.packed)
        self.numbers.update(lse_b=0 if self.packed else lse.stride(0), lse_h=lse.stride(-2), lse_s=1)
        template = self.case.choose(self.numbers)
        if template is None:
            raise NotImplementedError(f"no kernel for attention of {self.numbers}")
        names += tuple(name for name, _ in template.workspace)
        self.launches = self.device.launches(template, self.numbers, names, self.scalars)
        return template


class _Forward(_Problem):
    """The forward launches of a problem, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "tiles", "cuQ", "cuK")

    def __init__(self, q, k, v, options, cu_q, longest):
        super().__init__("attention_forward", q, k, v, (*options[:3], False, options[4]), cu_q, longest)
        self.copies |= any(aligned(x) is not x for x in (q, k, v))
        if not self.empty:
            q, k, v = self.given(q, k, v)
            self.o, self.lse = New(q.shape, q.dtype), New(_rows(q), torch.float32)
            self.prepare(self.NAMES, self.lse, q=q, k=k, v=v, o=self.o)
        self.stream = self.counter = None

    def run(self, q, k, v, addresses, cu_q=0, cu_k=0):
        """Enqueues the launches; gives O and the logarithms.

        :param addresses: those of q, k and v
        """
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k, v, addresses, cu_q, cu_k)
        if self.empty:
            return q.new_zeros(q.shape), q.new_full(_rows(q), -math.inf, dtype=torch.float32)
        if self.copies:
            dim = q.shape[-1]
            q, k, v = self.given(q, k, v)
            addresses = q.data_ptr(), k.data_ptr(), v.data_ptr()
        o, lse = self.o.tensor(), self.lse.tensor()
        stream = current_stream(self.ordinal)
        if stream != self.stream:
            self.stream, self.counter = stream, self.device.counter(stream)
        self.launches.run((*addresses, o.data_ptr(), lse.data_ptr(), self.counter, cu_q, cu_k), stream, self.ordinal)
        return (o[..., :dim].contiguous() if self.pad else o), lse


class _Backward(_Problem):
    """The backward launches of a problem, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "do", "dq", "dk", "dv", "cuQ", "cuK")

    def __init__(self, do, q, k, v, o, lse, options, cu_q, longest):
        super().__init__("attention_backward", q, k, v, options, cu_q, longest)
        self.copies |= any(aligned(x) is not x for x in (do, q, k, v, o))
        if not self.empty:
            do, q, k, v, o = self.given(do, q, k, v, o)
            self.gradients = [New(x.shape, x.dtype) for x in (q, k, v)]
            dq, dk, dv = self.gradients
            template = self.prepare(self.NAMES, lse, q=q, k=k, v=v, o=o, do=do, dq=dq, dk=dk, dv=dv)
            self.workspace = [New((size(self.numbers)[0],), torch.uint8) for _, size in template.workspace]

    def run(self, do, q, k, v, o, lse, addresses, cu_q=0, cu_k=0):
        """Enqueues the launches; gives the gradients.

        :param addresses: those of q, k, v, o, lse and do
        """
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(do, q, k, v, o, lse, addresses, cu_q, cu_k)
        if self.empty:
            return tuple(x.new_zeros(x.shape) for x in (q, k, v))
        if self.copies:
            dim = q.shape[-1]
            do, q, k, v, o = self.given(do, q, k, v, o)
            addresses = [x.data_ptr() for x in (q, k, v, o, lse, do)]
        gradients = [x.tensor() for x in self.gradients]
        held = [x.tensor() for x in self.workspace]
        self.launches.run((*addresses, *[x.data_ptr() for x in gradients], cu_q, cu_k, *[x.data_ptr() for x in held]),
                          current_stream(self.ordinal), self.ordinal)
        return tuple(x[..., :dim].contiguous() for x in gradients) if self.pad else tuple(gradients)


def _forward(q, k, v, options):
    """O and the rows' logarithms.

    :param options: scale, causal, window, deterministic and softcap as the caller gave them
    """
    addresses = q.data_ptr(), k.data_ptr(), v.data_ptr()
    key = (q.shape, k.shape, v.shape, q.stride(), k.stride(), v.stride(), q.dtype, k.dtype, v.dtype, q.get_device(),
           k.get_device(), v.get_device(), options, (addresses[0] | addresses[1] | addresses[2]) & 15)
    plan = _plans.forward.get(key)
    if plan is None:
        plan = _plans.forward[key] = _Forward(q, k, v, options, None, 0)
    return plan.run(q, k, v, addresses)


def _backward(do, q, k, v, o, lse, options):
    a = addresses = q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr(), do.data_ptr()
    key = (q.shape, k.shape, v.shape, do.stride(), q.stride(), k.stride(), v.stride(), o.stride(), do.dtype, q.dtype,
           q.get_device(), options, (a[0] | a[1] | a[2] | a[3] | a[5]) & 15)
    plan = _plans.backward.get(key)
    if plan is None:
        plan = _plans.backward[key] = _Backward(do, q, k, v, o, lse, options, None, 0)
    return plan.run(do, q, k, v, o, lse, addresses)


def _lengths(name, cumulated, device):
    if cumulated.dtype != torch.int32 or cumulated.dim() != 1 or not cumulated.is_contiguous():
        raise TypeError(f"{name} is {cumulated.dtype} of shape {tuple(cumulated.shape)}: needed is a contiguous vector "
                        "of torch.int32")
    if cumulated.device != device:
        raise ValueError(f"{name} is on {cumulated.device}, but q is on {device}")
    if cumulated.shape[0] < 1:
        raise ValueError(f"{name} has no elements: needed is one more than there are sequences")


def _forward_varlen(q, k, v, cu_q, cu_k, longest_q, longest_k, options):
    addresses = q.data_ptr(), k.data_ptr(), v.data_ptr()
    key = (q.shape, k.shape, v.shape, q.stride(), k.stride(), v.stride(), q.dtype, k.dtype, v.dtype, q.get_device(),
           k.get_device(), v.get_device(), options, cu_q.shape, cu_k.shape, cu_q.dtype, cu_k.dtype, cu_q.get_device(),
           cu_k.get_device(), cu_q.stride(), cu_k.stride(), longest_q,
           (addresses[0] | addresses[1] | addresses[2]) & 15)
    plan = _plans.forward.get(key)
    if plan is None:
        _lengths("cu_seqlens_q", cu_q, q.device)
        _lengths("cu_seqlens_k", cu_k, q.device)
        if cu_q.shape != cu_k.shape:
            raise ValueError(f"cu_seqlens_q has {cu_q.shape[0]} elements, but cu_seqlens_k has {cu_k.shape[0]}")
        plan = _plans.forward[key] = _Forward(q, k, v, options, cu_q, longest_q)
    return plan.run(q, k, v, addresses, cu_q.data_ptr(), cu_k.data_ptr())


def _backward_varlen(do, q, k, v, o, lse, cu_q, cu_k, longest_q, longest_k, options):
    a = addresses = q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr(), do.data_ptr()
    key = (q.shape, k.shape, v.shape, do.stride(), q.stride(), k.stride(), v.stride(), o.stride(), do.dtype, q.dtype,
           q.get_device(), options, cu_q.shape, longest_q, (a[0] | a[1] | a[2] | a[3] | a[5]) & 15)
    plan = _plans.backward.get(key)
    if plan is None:
        plan = _plans.backward[key] = _Backward(do, q, k, v, o, lse, options, cu_q, longest_q)
    return plan.run(do, q, k, v, o, lse, addresses, cu_q.data_ptr(), cu_k.data_ptr())


class _Attention(torch.autograd.Function):
    """Attention whose gradients are asked for; ``lengths`` is empty or the four arguments of packed sequences."""

    @staticmethod
    def forward(ctx, q, k, v, lengths, options, logarithms):
        o, lse = _forward_varlen(q, k, v, *lengths, options) if lengths else _forward(q, k, v, options)
        ctx.save_for_backward(q, k, v, o, lse, *lengths[:2])
        ctx.set_materialize_grads(False)
        ctx.longest, ctx.options = lengths[2:], options
        if not logarithms:
            return o
        ctx.mark_non_differentiable(lse)
        return o, lse

    @staticmethod
    def backward(ctx, do, *_):
        if do is None:
            return (None,) * 6
        q, k, v, o, lse, *cumulated = ctx.saved_tensors
        pass_back = _backward_varlen if cumulated else _backward
        return (*pass_back(do, q, k, v, o, lse, *cumulated, *ctx.longest, ctx.options), None, None, None)


# Function.apply without its support of transforms, which know no addresses.
_apply = super(torch.autograd.Function, _Attention).apply


def _as_operator(function, tensors):
    """A function of tensors and of a tuple of options, with the arguments of an operator."""
    def operator(*arguments):
        scale, causal, left, right, deterministic, softcap = arguments[tensors:]
        return function(*arguments[:tensors], (scale, causal, (left, right), deterministic, softcap))

    return operator


def _fake_forward(q, k, v, *_):
    return q.new_empty(q.shape), q.new_empty(_rows(q), dtype=torch.float32)


def _fake_backward(do, q, k, v, *_):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _remember(ctx, inputs, output):
    q, k, v, *options = inputs
    ctx.save_for_backward(q, k, v, *output)
    ctx.options = options
    ctx.mark_non_differentiable(output[1])


def _remember_varlen(ctx, inputs, output):
    q, k, v, cu_q, cu_k, *options = inputs
    ctx.save_for_backward(q, k, v, *output, cu_q, cu_k)
    ctx.options = options
    ctx.mark_non_differentiable(output[1])


def _pass_back(ctx, do, _):
    gradients = torch.ops.tilewright.attention_backward(do, *ctx.saved_tensors, *ctx.options)
    return (*gradients, *[None] * len(ctx.options))


def _pass_back_varlen(ctx, do, _):
    gradients = torch.ops.tilewright.attention_varlen_backward(do, *ctx.saved_tensors, *ctx.options)
    return (*gradients, None, None, *[None] * len(ctx.options))


def no_second_derivatives(ctx, *_):
    raise NotImplementedError("second derivatives of attention: needed are first ones")


_OPTIONS = "float scale, bool causal, int left, int right, bool deterministic, float softcap"
_LENGTHS = "Tensor cu_q, Tensor cu_k, int longest_q, int longest_k"

register("attention_forward", f"(Tensor q, Tensor k, Tensor v, {_OPTIONS}) -> (Tensor, Tensor)",
         _as_operator(_forward, 3), _fake_forward, _pass_back, _remember)
register("attention_varlen_forward", f"(Tensor q, Tensor k, Tensor v, {_LENGTHS}, {_OPTIONS}) -> (Tensor, Tensor)",
         _as_operator(_forward_varlen, 7), _fake_forward, _pass_back_varlen, _remember_varlen)
_TENSORS = "Tensor do, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse"
register("attention_backward", f"({_TENSORS}, {_OPTIONS}) -> (Tensor, Tensor, Tensor)",
         _as_operator(_backward, 6), _fake_backward, no_second_derivatives)
register("attention_varlen_backward", f"({_TENSORS}, {_LENGTHS}, {_OPTIONS}) -> (Tensor, Tensor, Tensor)",
         _as_operator(_backward_varlen, 10), _fake_backward, no_second_derivatives)


def cast(*tensors):
    """The tensors in the type of autocast, as PyTorch's matrix products take them."""
    if torch.is_autocast_enabled():
        return [x.to(torch.get_autocast_gpu_dtype()) for x in tensors]
    return tensors


def call(q, k, v, scale, causal, window, deterministic, softcap, logarithms):
    """Attention by position, for functions of other signatures.

    :param logarithms: whether the logarithms are given, too
    """
    if q.dtype is torch.float32:
        q, k, v = cast(q, k, v)
    # Something follows what is done with tensors of other types.
    if is_tracing() or type(q) not in PLAIN:
        both = torch.ops.tilewright.attention_forward(
            q, k, v, *_normal(scale, causal, window, deterministic, softcap, q.shape[-1]))
        return both if logarithms else both[0]
    options = (scale if scale is None else float(scale), causal, tuple(window), deterministic, softcap)
    if keeps_gradients() and (q.requires_grad or k.requires_grad or v.requires_grad):
        return _apply(q, k, v, (), options, logarithms)
    both = _forward(q, k, v, options)
    return both if logarithms else both[0]


def call_varlen(q, k, v, cu_q, cu_k, longest_q, longest_k, scale, causal, window, deterministic, softcap, logarithms):
    """Attention of packed sequences by position."""
    if q.dtype is torch.float32:
        q, k, v = cast(q, k, v)
    lengths = (cu_q, cu_k, int(longest_q), int(longest_k))
    if is_tracing() or type(q) not in PLAIN:
        both = torch.ops.tilewright.attention_varlen_forward(
            q, k, v, *lengths, *_normal(scale, causal, window, deterministic, softcap, q.shape[-1]))
        return both if logarithms else both[0]
    options = (scale if scale is None else float(scale), causal, tuple(window), deterministic, softcap)
    if keeps_gradients() and (q.requires_grad or k.requires_grad or v.requires_grad):
        return _apply(q, k, v, lengths, options, logarithms)
    both = _forward_varlen(q, k, v, *lengths, options)
    return both if logarithms else both[0]


def attention(q, k, v, *, scale=None, causal=False, window=(-1, -1), deterministic=False, softcap=0.0):
    """softmax(scale · Q·Kᵀ)·V of (batch, sequence, heads, dim) tensors, and the logarithms of its rows' sums.

    Heads of q that share a head of k and v are as in grouped-query attention. The last query is aligned with the last
    key. Each query sees the keys from window[0] before its position to window[1] behind it; -1 is all of that side.

    :param deterministic: gradients with the same bits in every run
    :param softcap: bends scores s into softcap · tanh(s / softcap); 0 leaves them as they are
    :returns: (batch, sequence, heads, dim), and FP32 of (batch, heads, sequence), -inf for a query without keys
    """
    return call(q, k, v, scale, causal, window, deterministic, softcap, True)


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, *, scale=None, causal=False,
                     window=(-1, -1), deterministic=False, softcap=0.0):
    """Attention of sequences that lie one after the other, (tokens, heads, dim): number i has the tokens from
    cu_seqlens[i] to before cu_seqlens[i + 1].

    :returns: (tokens, heads, dim), and FP32 of (heads, tokens)
    """
    return call_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, causal, window,
                       deterministic, softcap, True)


def sdpa(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Takes the place of torch.nn.functional.scaled_dot_product_attention: (batch, heads, sequence, dim) tensors.

    A causal mask is aligned with the first key, as PyTorch's is, so that it needs as many keys as queries.
    """
    if attn_mask is not None:
        raise NotImplementedError("attn_mask is given: needed is None, or is_causal=True")
    if dropout_p:
        raise NotImplementedError(f"dropout_p is {dropout_p}: needed is 0")
    if is_causal and query.shape[-2] != key.shape[-2]:
        raise NotImplementedError(f"is_causal of {query.shape[-2]} queries and {key.shape[-2]} keys: needed are as "
                                  "many keys as queries; attention(causal=True) aligns the last of both")
    if not enable_gqa and query.shape[-3] != key.shape[-3]:
        raise ValueError(f"query has {query.shape[-3]} heads and key {key.shape[-3]}: needed is enable_gqa=True")
    return call(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), scale, is_causal, (-1, -1), False,
                0.0, False).transpose(1, 2)
