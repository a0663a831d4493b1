"""Tilewright's operators on PyTorch's tensors.

Plain functions run a kernel at once. Inside ``torch.compile``, ``torch.export`` and wherever tensors are fake they are
operators of ``torch.library`` under ``torch.ops.tilewright``, with meta functions and gradients.
"""

import math
import operator
import threading

import torch
import torch.nn.functional as F

from . import _runtime
from ._torch import (PLAIN, New, current_device, current_stream, is_tracing, is_transforming, keeps_gradients,
                     register)

NARROW = 128  # columns of v that kernels for more columns of q and k are made for
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


def check(q, k, v, packed):
    """Refuses tensors that are none of attention's."""
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


def row_shape(q):
    """The shape of the rows' logarithms."""
    shape = q.shape
    return (shape[0], shape[2], shape[1]) if len(shape) == 4 else (shape[1], shape[0])


def bounds(window):
    """A window as the operators take it: two integers."""
    if type(window) is tuple and len(window) == 2 and type(window[0]) is int and type(window[1]) is int:
        return window
    try:
        left, right = window
        return operator.index(left), operator.index(right)
    except (TypeError, ValueError):
        raise TypeError(f"window is {window}: needed are two whole numbers") from None


def normal(options, dim):
    """Options as the operators take them."""
    scale, causal, left, right, deterministic, softcap = options
    scale = max(1, dim) ** -0.5 if scale is None else float(scale)
    if not scale > 0:
        raise ValueError(f"scale is {scale}: needed is a positive number")
    if not softcap >= 0:
        raise ValueError(f"softcap is {softcap}: needed is a positive number, or 0 for none")
    return scale, bool(causal), left, right, bool(deterministic), float(softcap)


def _slopes(slopes, q, entries):
    """ALiBi's slopes in dense memory, or None."""
    if slopes is None:
        return None
    heads = q.shape[-2]
    if slopes.dtype is not torch.float32 or tuple(slopes.shape) not in ((heads,), (entries, heads)):
        raise ValueError(f"alibi_slopes are {slopes.dtype} of shape {tuple(slopes.shape)}: needed are torch.float32 of "
                         f"({heads},) or ({entries}, {heads})")
    if slopes.device != q.device:
        raise ValueError(f"alibi_slopes are on {slopes.device}, but q is on {q.device}")
    return slopes if slopes.is_contiguous() else slopes.contiguous()


class _Problem:
    """What the passes of attention have in common: the case of a problem, and how tensors become its."""

    OF_HEADS = "alibi"  # what the numbers of each head are
    RESULTS = ()  # what else kernels store

    def __init__(self, operator, q, k, v, slopes, options, cu_q, longest):
        check(q, k, v, cu_q is not None)
        scale, causal, left, right, deterministic, softcap = normal(options, q.shape[-1])
        self.packed = cu_q is not None
        self.ordinal = q.get_device()
        self.device = _runtime.device(self.ordinal)
        self.scalars = {"scale": scale, "softcap": softcap, "softcapRate": 2 / softcap if softcap else 0.0,
                        "alibiShift": k.shape[1] - q.shape[1]}
        if softcap > 0 and slopes is not None:
            raise NotImplementedError(f"softcap is {softcap} and alibi_slopes are given: needed is one of them")
        kind, left, right = _mask(causal, left, right)
        key = "-".join([TYPES[q.dtype], kind] + ["softcap"] * (softcap > 0)
                       + [self.OF_HEADS] * (slopes is not None) + [*self.RESULTS] + ["packed"] * self.packed
                       + ["deterministic"] * deterministic)
        self.dim, self.value_dim = q.shape[-1], v.shape[-1]
        self._find(operator, key)
        self.numbers = dict(H=q.shape[-2], Hk=k.shape[-2], D=self.filled, Dv=self.value_filled, L=left, R=right)
        if self.packed:
            self.numbers.update(B=1, Sq=q.shape[0], Sk=k.shape[0], N=cu_q.shape[0] - 1, M=longest)
        else:
            self.numbers.update(B=q.shape[0], Sq=q.shape[1], Sk=k.shape[1])
        entries = self.numbers["N" if self.packed else "B"]
        self.slopes = self.of_heads(slopes, q, entries)
        if slopes is not None:
            self.numbers.update(slopes=slopes.numel(), slopes_b=slopes.shape[-1] if slopes.dim() > 1 else 0)
        self.copies = (self.filled != self.dim or self.value_filled != self.value_dim or self.slopes is not slopes)
        # PyTorch's tensors without elements have no address: no kernel may be given one.
        self.empty = 0 in q.shape or 0 in k.shape or self.packed and (longest < 1 or self.numbers["N"] < 1)

    def of_heads(self, slopes, q, entries):
        """The numbers of each head in dense memory, or None."""
        return _slopes(slopes, q, entries)

    def _find(self, operator, key):
        """The case of the package, and the head dimensions that tensors are filled up to."""
        data, narrow = self.device.data, f"{key}-v{NARROW}"
        fits = self.value_dim <= NARROW < self.dim and data.has(operator, narrow) and (
            self.dim <= data.case(operator, narrow).only("dim")[-1])
        self.case = data.case(operator, narrow if fits else key)
        only, dim = self.case.only("dim"), max(self.dim, self.value_dim)
        self.filled = next((d for d in only if d >= dim), 0)
        if dim > self.filled:
            raise NotImplementedError(f"head dimension {dim}: needed is at most {only[-1]}")
        self.value_filled = NARROW if fits else self.filled

    def given(self, q, k, v, *others):
        """The tensors as the kernel takes them; others have the head dimension of v."""
        filled = [(q, self.filled), (k, self.filled), *((x, self.value_filled) for x in (v, *others))]
        return [aligned(F.pad(x, (0, dim - x.shape[-1])) if x.shape[-1] < dim else x) for x, dim in filled]

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


class Forward(_Problem):
    """The forward launches of a problem, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "tiles", "cuQ", "cuK", "slopes")

    def __init__(self, q, k, v, slopes, options, cu_q, longest):
        super().__init__("attention_forward", q, k, v, slopes, (*options[:4], False, options[5]), cu_q, longest)
        self.copies |= any(aligned(x) is not x for x in (q, k, v))
        if not self.empty:
            q, k, v = self.given(q, k, v)
            self.o, self.lse = New((*q.shape[:-1], self.value_filled), q.dtype), New(row_shape(q), torch.float32)
            self.prepare(self.NAMES, self.lse, q=q, k=k, v=v, o=self.o)
        self.stream = self.counter = None

    def run(self, q, k, v, slopes, addresses, cu_q=0, cu_k=0):
        """Enqueues the launches; gives O and the logarithms.

        :param addresses: those of q, k and v
        """
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k, v, slopes, addresses, cu_q, cu_k)
        if self.empty:
            return (q.new_zeros((*q.shape[:-1], self.value_dim)),
                    q.new_full(row_shape(q), -math.inf, dtype=torch.float32))
        if self.copies:
            q, k, v = self.given(q, k, v)
            addresses = q.data_ptr(), k.data_ptr(), v.data_ptr()
            slopes = slopes if slopes is None else slopes.contiguous()
        o, lse = self.o.tensor(), self.lse.tensor()
        stream = current_stream(self.ordinal)
        if stream != self.stream:
            self.stream, self.counter = stream, self.device.counter(stream)
        self.launches.run((*addresses, o.data_ptr(), lse.data_ptr(), self.counter, cu_q, cu_k,
                           0 if slopes is None else slopes.data_ptr()), stream, self.ordinal)
        return (o if self.value_filled == self.value_dim else o[..., :self.value_dim].contiguous()), lse


class _Backward(_Problem):
    """The backward launches of a problem, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "do", "dq", "dk", "dv", "cuQ", "cuK", "slopes")

    def __init__(self, do, q, k, v, o, lse, slopes, options, cu_q, longest):
        super().__init__("attention_backward", q, k, v, slopes, options, cu_q, longest)
        self.copies |= any(aligned(x) is not x for x in (do, q, k, v, o))
        if not self.empty:
            q, k, v, o, do = self.given(q, k, v, o, do)
            self.gradients = [New(x.shape, x.dtype) for x in (q, k, v)]
            dq, dk, dv = self.gradients
            template = self.prepare(self.NAMES, lse, q=q, k=k, v=v, o=o, do=do, dq=dq, dk=dk, dv=dv)
            self.workspace = [New((size(self.numbers)[0],), torch.uint8) for _, size in template.workspace]

    def run(self, do, q, k, v, o, lse, slopes, addresses, cu_q=0, cu_k=0):
        """Enqueues the launches; gives the gradients.

        :param addresses: those of q, k, v, o, lse and do
        """
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(do, q, k, v, o, lse, slopes, addresses, cu_q, cu_k)
        if self.empty:
            return tuple(x.new_zeros(x.shape) for x in (q, k, v))
        if self.copies:
            q, k, v, o, do = self.given(q, k, v, o, do)
            addresses = [x.data_ptr() for x in (q, k, v, o, lse, do)]
            slopes = slopes if slopes is None else slopes.contiguous()
        gradients = [x.tensor() for x in self.gradients]
        held = [x.tensor() for x in self.workspace]
        self.launches.run((*addresses, *[x.data_ptr() for x in gradients], cu_q, cu_k,
                           0 if slopes is None else slopes.data_ptr(), *[x.data_ptr() for x in held]),
                          current_stream(self.ordinal), self.ordinal)
        return tuple(x if x.shape[-1] == dim else x[..., :dim].contiguous()
                     for x, dim in zip(gradients, (self.dim, self.dim, self.value_dim)))


def _layout(slopes):
    """What a plan depends on of ALiBi's slopes."""
    return None if slopes is None else (slopes.shape, slopes.stride(), slopes.dtype, slopes.get_device())


def _forward(q, k, v, slopes, *options):
    """O and the rows' logarithms.

    :param options: scale, causal, left, right, deterministic and softcap as the caller gave them
    """
    addresses = q.data_ptr(), k.data_ptr(), v.data_ptr()
    key = (q.shape, k.shape, v.shape, q.stride(), k.stride(), v.stride(), q.dtype, k.dtype, v.dtype, q.get_device(),
           k.get_device(), v.get_device(), options, (addresses[0] | addresses[1] | addresses[2]) & 15,
           slopes if slopes is None else _layout(slopes))
    plan = _plans.forward.get(key)
    if plan is None:
        plan = _plans.forward[key] = Forward(q, k, v, slopes, options, None, 0)
    return plan.run(q, k, v, slopes, addresses)


def _backward(do, q, k, v, o, lse, slopes, *options):
    a = addresses = q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr(), do.data_ptr()
    key = (q.shape, k.shape, v.shape, do.stride(), q.stride(), k.stride(), v.stride(), o.stride(), do.dtype, q.dtype,
           q.get_device(), options, (a[0] | a[1] | a[2] | a[3] | a[5]) & 15, _layout(slopes))
    plan = _plans.backward.get(key)
    if plan is None:
        plan = _plans.backward[key] = _Backward(do, q, k, v, o, lse, slopes, options, None, 0)
    return plan.run(do, q, k, v, o, lse, slopes, addresses)


def check_lengths(name, cumulated, device):
    if cumulated.dtype != torch.int32 or cumulated.dim() != 1 or not cumulated.is_contiguous():
        raise TypeError(f"{name} is {cumulated.dtype} of shape {tuple(cumulated.shape)}: needed is a contiguous vector "
                        "of torch.int32")
    if cumulated.device != device:
        raise ValueError(f"{name} is on {cumulated.device}, but q is on {device}")
    if cumulated.shape[0] < 1:
        raise ValueError(f"{name} has no elements: needed is one more than there are sequences")


def _forward_varlen(q, k, v, cu_q, cu_k, longest_q, longest_k, slopes, *options):
    addresses = q.data_ptr(), k.data_ptr(), v.data_ptr()
    key = (q.shape, k.shape, v.shape, q.stride(), k.stride(), v.stride(), q.dtype, k.dtype, v.dtype, q.get_device(),
           k.get_device(), v.get_device(), options, cu_q.shape, cu_k.shape, cu_q.dtype, cu_k.dtype, cu_q.get_device(),
           cu_k.get_device(), cu_q.stride(), cu_k.stride(), longest_q,
           (addresses[0] | addresses[1] | addresses[2]) & 15, _layout(slopes))
    plan = _plans.forward.get(key)
    if plan is None:
        check_lengths("cu_seqlens_q", cu_q, q.device)
        check_lengths("cu_seqlens_k", cu_k, q.device)
        if cu_q.shape != cu_k.shape:
            raise ValueError(f"cu_seqlens_q has {cu_q.shape[0]} elements, but cu_seqlens_k has {cu_k.shape[0]}")
        plan = _plans.forward[key] = Forward(q, k, v, slopes, options, cu_q, longest_q)
    return plan.run(q, k, v, slopes, addresses, cu_q.data_ptr(), cu_k.data_ptr())


def _backward_varlen(do, q, k, v, o, lse, cu_q, cu_k, longest_q, longest_k, slopes, *options):
    a = addresses = q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), lse.data_ptr(), do.data_ptr()
    key = (q.shape, k.shape, v.shape, do.stride(), q.stride(), k.stride(), v.stride(), o.stride(), do.dtype, q.dtype,
           q.get_device(), options, cu_q.shape, longest_q, (a[0] | a[1] | a[2] | a[3] | a[5]) & 15, _layout(slopes))
    plan = _plans.backward.get(key)
    if plan is None:
        plan = _plans.backward[key] = _Backward(do, q, k, v, o, lse, slopes, options, cu_q, longest_q)
    return plan.run(do, q, k, v, o, lse, slopes, addresses, cu_q.data_ptr(), cu_k.data_ptr())


class _Attention(torch.autograd.Function):
    """Attention whose gradients are asked for; ``lengths`` is empty or the four arguments of packed sequences."""

    @staticmethod
    def forward(ctx, q, k, v, lengths, slopes, options, logarithms):
        o, lse = (_forward_varlen(q, k, v, *lengths, slopes, *options) if lengths
                  else _forward(q, k, v, slopes, *options))
        ctx.save_for_backward(q, k, v, o, lse, slopes, *lengths[:2])
        ctx.set_materialize_grads(False)
        ctx.longest, ctx.options = lengths[2:], options
        if not logarithms:
            return o
        ctx.mark_non_differentiable(lse)
        return o, lse

    @staticmethod
    def backward(ctx, do, *_):
        if do is None:
            return (None,) * 7
        q, k, v, o, lse, slopes, *cumulated = ctx.saved_tensors
        pass_back = _backward_varlen if cumulated else _backward
        gradients = pass_back(do, q, k, v, o, lse, *cumulated, *ctx.longest, slopes, *ctx.options)
        return (*gradients, None, None, None, None)


# Function.apply without its support of transforms, which know no addresses.
_apply = super(torch.autograd.Function, _Attention).apply


def fake_forward(q, k, v, *_):
    return q.new_empty((*q.shape[:-1], v.shape[-1])), q.new_empty(row_shape(q), dtype=torch.float32)


def _fake_backward(do, q, k, v, *_):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _remember(ctx, inputs, output):
    q, k, v, slopes, *options = inputs
    ctx.save_for_backward(q, k, v, *output, slopes)
    ctx.options = options
    ctx.mark_non_differentiable(output[1])


def _remember_varlen(ctx, inputs, output):
    q, k, v, cu_q, cu_k, longest_q, longest_k, slopes, *options = inputs
    ctx.save_for_backward(q, k, v, *output, cu_q, cu_k, slopes)
    ctx.longest, ctx.options = (longest_q, longest_k), options
    ctx.mark_non_differentiable(output[1])


def _pass_back(ctx, do, _):
    gradients = torch.ops.tilewright.attention_backward(do, *ctx.saved_tensors, *ctx.options)
    return (*gradients, None, *[None] * len(ctx.options))


def _pass_back_varlen(ctx, do, _):
    *tensors, slopes = ctx.saved_tensors
    gradients = torch.ops.tilewright.attention_varlen_backward(do, *tensors, *ctx.longest, slopes, *ctx.options)
    return (*gradients, None, None, None, None, None, *[None] * len(ctx.options))


def _batched(name, results):
    """The operator's rule under torch.vmap: entries of the batches are those of one.

    :param results: how many of the results have a batch of tensors
    """
    def rule(info, dims, *arguments):
        if any(dim is not None and not (hasattr(x, "dim") and x.dim() > 3) for x, dim in zip(arguments, dims)):
            raise NotImplementedError(f"vmap of {name} over alibi_slopes: needed is vmap over q, k and v")

        def one_batch(x, dim):
            if not hasattr(x, "dim") or x.dim() < 3:
                return x
            x = x.unsqueeze(0).expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
            return x.flatten(0, 1)

        tensors = [one_batch(x, dim) for x, dim in zip(arguments, dims)]
        slopes = next((x for x in tensors if hasattr(x, "dim") and x.dim() < 3), None)
        if slopes is not None and slopes.dim() == 2:
            tensors = [x.repeat(info.batch_size, 1) if x is slopes else x for x in tensors]
        outputs = getattr(torch.ops.tilewright, name)(*tensors)
        return tuple(x.unflatten(0, (info.batch_size, -1)) for x in outputs), (0,) * results

    return rule


def no_second_derivatives(ctx, *_):
    raise NotImplementedError("second derivatives of attention: needed are first ones")


_OPTIONS = "Tensor? slopes, float scale, bool causal, int left, int right, bool deterministic, float softcap"
_LENGTHS = "Tensor cu_q, Tensor cu_k, int longest_q, int longest_k"

register("attention_forward", f"(Tensor q, Tensor k, Tensor v, {_OPTIONS}) -> (Tensor, Tensor)", _forward,
         fake_forward, _pass_back, _remember, _batched("attention_forward", 2), eager=True)
register("attention_varlen_forward", f"(Tensor q, Tensor k, Tensor v, {_LENGTHS}, {_OPTIONS}) -> (Tensor, Tensor)",
         _forward_varlen, fake_forward, _pass_back_varlen, _remember_varlen, eager=True)
_TENSORS = "Tensor do, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse"
register("attention_backward", f"({_TENSORS}, {_OPTIONS}) -> (Tensor, Tensor, Tensor)", _backward, _fake_backward,
         no_second_derivatives, None, _batched("attention_backward", 3))
register("attention_varlen_backward", f"({_TENSORS}, {_LENGTHS}, {_OPTIONS}) -> (Tensor, Tensor, Tensor)",
         _backward_varlen, _fake_backward, no_second_derivatives)


def cast(*tensors):
    """The tensors in the type of autocast, as PyTorch's matrix products take them."""
    if torch.is_autocast_enabled():
        return [x.to(torch.get_autocast_gpu_dtype()) for x in tensors]
    return tensors


def call(q, k, v, scale, causal, window, deterministic, softcap, slopes, logarithms):
    """Attention by position, for functions of other signatures.

    :param slopes: those of ALiBi, or None
    :param logarithms: whether the logarithms are given, too
    """
    if q.dtype is torch.float32:
        q, k, v = cast(q, k, v)
    left, right = bounds(window)
    options = (scale if scale is None else float(scale), causal, left, right, deterministic, softcap)
    # Something follows what is done with tensors of other types.
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        both = torch.ops.tilewright.attention_forward(q, k, v, slopes, *normal(options, q.shape[-1]))
        return both if logarithms else both[0]
    if keeps_gradients() and (q.requires_grad or k.requires_grad or v.requires_grad):
        _no_gradient(slopes)
        return _apply(q, k, v, (), slopes, options, logarithms)
    both = _forward(q, k, v, slopes, *options)
    return both if logarithms else both[0]


def call_varlen(q, k, v, cu_q, cu_k, longest_q, longest_k, scale, causal, window, deterministic, softcap, slopes,
                logarithms):
    """Attention of packed sequences by position."""
    if q.dtype is torch.float32:
        q, k, v = cast(q, k, v)
    lengths = (cu_q, cu_k, int(longest_q), int(longest_k))
    left, right = bounds(window)
    options = (scale if scale is None else float(scale), causal, left, right, deterministic, softcap)
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        both = torch.ops.tilewright.attention_varlen_forward(q, k, v, *lengths, slopes,
                                                             *normal(options, q.shape[-1]))
        return both if logarithms else both[0]
    if keeps_gradients() and (q.requires_grad or k.requires_grad or v.requires_grad):
        _no_gradient(slopes)
        return _apply(q, k, v, lengths, slopes, options, logarithms)
    both = _forward_varlen(q, k, v, *lengths, slopes, *options)
    return both if logarithms else both[0]


def _no_gradient(slopes):
    if slopes is not None and slopes.requires_grad:
        raise NotImplementedError("alibi_slopes require a gradient: needed is alibi_slopes.detach()")


def attention(q, k, v, *, scale=None, causal=False, window=(-1, -1), deterministic=False, softcap=0.0,
              alibi_slopes=None, sinks=None):
    """softmax(scale · Q·Kᵀ)·V of (batch, sequence, heads, dim) tensors, and the logarithms of its rows' sums.

    Heads of q that share a head of k and v are as in grouped-query attention. The last query is aligned with the last
    key. Each query sees the keys from window[0] before its position to window[1] behind it; -1 is all of that side.

    :param deterministic: gradients with the same bits in every run
    :param softcap: bends scores s into softcap · tanh(s / softcap); 0 leaves them as they are
    :param alibi_slopes: FP32 of (heads) or (batch, heads): the score of query i and key j is less by
        slope · |i + keys − queries − j|
    :param sinks: a logit of each head (heads), which takes part in the softmax and the logarithms of its rows
    :returns: (batch, sequence, heads, dim), and FP32 of (batch, heads, sequence), -inf for a query without keys
    """
    if sinks is not None:
        from .sinks import attention_with_sinks

        refuse_beside_sinks(softcap, alibi_slopes)
        return attention_with_sinks(q, k, v, sinks, scale=scale, causal=causal, window=window)
    return call(q, k, v, scale, causal, window, deterministic, softcap, alibi_slopes, True)


def refuse_beside_sinks(softcap, slopes):
    """Refuses what no kernel has together with sinks."""
    if softcap:
        raise NotImplementedError(f"sinks and softcap {softcap} are given: needed is one of them")
    if slopes is not None:
        raise NotImplementedError("sinks and alibi_slopes are given: needed is one of them")


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, *, scale=None, causal=False,
                     window=(-1, -1), deterministic=False, softcap=0.0, alibi_slopes=None, sinks=None):
    """Attention of sequences that lie one after the other, (tokens, heads, dim): number i has the tokens from
    cu_seqlens[i] to before cu_seqlens[i + 1].

    :returns: (tokens, heads, dim), and FP32 of (heads, tokens)
    """
    if sinks is not None:
        from .sinks import attention_with_sinks

        refuse_beside_sinks(softcap, alibi_slopes)
        return attention_with_sinks(q, k, v, sinks, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, scale=scale,
                                    causal=causal, window=window)
    return call_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, causal, window,
                       deterministic, softcap, alibi_slopes, True)


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
                0.0, None, False).transpose(1, 2)
