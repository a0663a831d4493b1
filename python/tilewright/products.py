"""Matrix products on tensor cores, with gradients."""

import functools

import torch
import torch.nn.functional as F

from . import _runtime
from ._torch import (PLAIN, New, Plans, Scratch, current_device, current_stream, is_tracing, keeps_gradients,
                     register)

_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16"}
_NAMES = ("A", "B", "C", "bias", "R")
_VECTOR = 8  # elements of 16 bytes, in which tensors are copied
_ACTIVATIONS = {"": lambda x: x, "relu": F.relu, "gelu": F.gelu, "silu": F.silu,
                "gelu_tanh": functools.partial(F.gelu, approximate="tanh")}


_plans = Plans()


def _check(a, b, bias, activation, c):
    if activation not in _ACTIVATIONS:
        known = ", ".join(name for name in _ACTIVATIONS if name)
        raise ValueError(f"activation {activation!r}: needed is None or one of {known}")
    if activation and c is not None:
        raise NotImplementedError(f"no kernel has both c and {activation}: apply the activation to the result")
    for name, x in (("a", a), ("b", b)):
        if x.dtype not in _TYPES:
            raise TypeError(f"{name} is {x.dtype}: needed is torch.bfloat16 or torch.float16")
        if not x.is_cuda:
            raise ValueError(f"{name} is on {x.device}: needed is a CUDA device")
        if x.dim() not in (2, 3) or x.dim() != a.dim():
            raise ValueError(f"a has shape {tuple(a.shape)} and b {tuple(b.shape)}: needed are two matrices, or two "
                             "batches of them")
    for name, x in (("b", b), ("bias", bias), ("c", c)):
        if x is not None and (x.dtype != a.dtype or x.device != a.device):
            raise TypeError(f"{name} is {x.dtype} on {x.device}, but a is {a.dtype} on {a.device}")
    if a.shape[-1] != b.shape[-1] or a.shape[:-2] != b.shape[:-2]:
        raise ValueError(f"a has shape {tuple(a.shape)}, the transposed b {tuple(b.shape)}: their last extents, and "
                         "batches, must agree")
    if bias is not None and bias.shape != b.shape[-2:-1]:
        raise ValueError(f"bias has shape {tuple(bias.shape)}: needed is {tuple(b.shape[-2:-1])}")
    if c is not None and c.shape != (*a.shape[:-1], b.shape[-2]):
        raise ValueError(f"c has shape {tuple(c.shape)}: needed is {(*a.shape[:-1], b.shape[-2])}")


def _up(extent):
    return -(-extent // _VECTOR) * _VECTOR


def _reached(x, across):
    """The matrix, or a copy, as tensor copies reach it: by rows, or by columns where these may lie across."""
    for mode in (-1, -2) if across else (-1,):
        others = [stride for i, (stride, size) in enumerate(zip(x.stride(), x.shape))
                  if i != x.dim() + mode and size > 1]
        contiguous = x.stride(mode) == 1 or x.shape[mode] == 1
        if contiguous and all(stride % _VECTOR == 0 and stride > 0 for stride in others) and x.data_ptr() % 16 == 0:
            return x, mode
    columns = x.shape[-1]
    return F.pad(x, (0, _up(columns) - columns))[..., :columns] if columns % _VECTOR else x.clone(
        memory_format=torch.contiguous_format), -1


def _strides(numbers, name, x, mode):
    other = -1 if mode == -2 else -2
    numbers[name + "_s"] = x.stride(other) if x.shape[other] > 1 else _up(x.shape[mode])
    batched = len(x.shape) == 3 and x.shape[0] > 1
    numbers[name + "_l"] = x.stride(0) if batched else numbers[name + "_s"] * x.shape[other]


class _Plan:
    """The launch of a problem, for one thread."""

    def __init__(self, a, b, bias, activation, alpha, c, beta):
        _check(a, b, bias, activation, c)
        self.ordinal, self.shape = a.get_device(), (*a.shape[:-1], b.shape[-2])
        self.empty, self.activation = 0 in self.shape or 0 in a.shape, _ACTIVATIONS[activation]
        if self.empty:
            return
        # What the package has for operands in all orders.
        self.across = c is not None or bias is None and not activation
        self.alpha, self.beta = alpha, beta
        n = b.shape[-2]
        self.more = _up(n) - n  # columns of zeros that make rows of the result end at 16 bytes
        given = a, b, c
        a, b, c, (row_a, row_b) = self.given(a, b, c)
        self.copies = any(x is not y for x, y in zip((a, b, c), given))
        epilogue = ("residual" if c is not None else "plain" if self.across
                    else "bias" + ("_" + activation if activation else ""))
        order = ("T" if row_a == -1 else "N") + ("N" if row_b == -1 else "T")
        device = _runtime.device(self.ordinal)
        case = device.data.case("gemm", f"{_TYPES[a.dtype]}-{order.lower()}-{epilogue}")
        self.y = New((*self.shape[:-1], n + self.more), a.dtype)
        self.zeros = a.new_zeros(n + self.more) if bias is None else None
        numbers = dict(M=a.shape[-2], N=n + self.more, K=a.shape[-1], L=a.shape[0] if a.dim() == 3 else 1)
        _strides(numbers, "A", a, row_a)
        _strides(numbers, "B", b, row_b)
        _strides(numbers, "C", self.y, -1)
        if c is not None:
            _strides(numbers, "R", c, -1)
        template = case.choose(numbers)
        if template is None:
            raise NotImplementedError(f"no kernel for a product of {numbers}")
        scratch = [(name, size(numbers)[0]) for launch in template.launches for name, size in launch.scratch]
        self.scratch = Scratch(self.ordinal, scratch)
        names = _NAMES + tuple(name for name, _ in scratch)
        self.launches = device.launches(template, numbers, names, {"alpha": alpha, "beta": beta})

    def given(self, a, b, c):
        """The matrices as tensor copies reach them, and which modes of the operands are contiguous."""
        if self.more:
            b = F.pad(b, (0, 0, 0, self.more))
        a, row_a = _reached(a, self.across)
        b, row_b = _reached(b, self.across)
        if c is not None:
            c, _ = _reached(F.pad(c, (0, self.more)) if self.more else c, False)
        return a, b, c, (row_a, row_b)

    def run(self, a, b, bias, c):
        """Enqueues the launch; gives the product."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(a, b, bias, c)
        if self.empty:
            y = a.new_zeros(self.shape)
            y = y if c is None or not self.beta else torch.add(y, c, alpha=self.beta)
            return self.activation(y if bias is None else y + bias)
        if self.copies:
            a, b, c, _ = self.given(a, b, c)
        if bias is None:
            bias = self.zeros
        elif self.more or bias.data_ptr() % 16 or not bias.is_contiguous():
            bias = F.pad(bias, (0, self.more)).contiguous()
        y = self.y.tensor()
        stream = current_stream(self.ordinal)
        held = self.scratch.tensors(stream)
        self.launches.run((a.data_ptr(), b.data_ptr(), y.data_ptr(), bias.data_ptr(), 0 if c is None else c.data_ptr(),
                           *(part.data_ptr() for part in held)), stream, self.ordinal)
        return y[..., :self.shape[-1]].contiguous() if self.more else y


def _run(a, b, bias, activation, alpha, c, beta):
    key = (a.shape, b.shape, a.stride(), b.stride(), a.dtype, b.dtype, a.get_device(), b.get_device(),
           (a.data_ptr() | b.data_ptr()) & 15, None if bias is None else (bias.shape, bias.dtype, bias.get_device()),
           activation, alpha,
           None if c is None else (c.shape, c.stride(), c.dtype, c.get_device(), c.data_ptr() & 15, beta))
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Plan(a, b, bias, activation, alpha, c, beta)
    return plan.run(a, b, bias, c)


def _fake(a, b, bias, activation, alpha, c, beta):
    return a.new_empty((*a.shape[:-1], b.shape[-2]))


def _remember(ctx, inputs, output):
    a, b, bias, activation, ctx.alpha, c, ctx.beta = inputs
    if activation:
        raise NotImplementedError("a product with an activation has no gradients: apply the activation to the product")
    ctx.save_for_backward(a, b)
    ctx.biased, ctx.added = bias is not None, c is not None


def _backward(ctx, dy):
    a, b = ctx.saved_tensors
    needed = ctx.needs_input_grad

    def product(x, y):
        return torch.ops.tilewright.gemm(x, y, None, "", ctx.alpha, None, 0.0)

    da = product(dy, b.transpose(-1, -2)) if needed[0] else None
    db = product(dy.transpose(-1, -2), a.transpose(-1, -2)) if needed[1] else None
    dbias = dy.sum(tuple(range(dy.dim() - 1))) if ctx.biased and needed[2] else None
    dc = dy * ctx.beta if ctx.added and needed[5] else None
    return da, db, dbias, None, None, dc, None


register("gemm", "(Tensor a, Tensor b, Tensor? bias, str activation, float alpha, Tensor? c, float beta) -> Tensor",
         _run, _fake, _backward, _remember)


def _call(a, b, bias=None, activation=None, alpha=1.0, c=None, beta=1.0):
    """The operator on plain tensors at once, else through the dispatcher; gradients of activations are PyTorch's."""
    activation, alpha, beta = activation or "", float(alpha), float(beta)
    if torch.is_autocast_enabled():
        a, b, bias, c = (None if x is None else x.to(torch.get_autocast_gpu_dtype()) for x in (a, b, bias, c))
    needed = keeps_gradients() and any(x is not None and x.requires_grad for x in (a, b, bias, c))
    if not needed and not is_tracing() and type(a) in PLAIN and type(b) in PLAIN:
        return _run(a, b, bias, activation, alpha, c, beta)
    if needed and activation in _ACTIVATIONS and c is None:
        return _ACTIVATIONS[activation](torch.ops.tilewright.gemm(a, b, bias, "", alpha, None, 0.0))
    return torch.ops.tilewright.gemm(a, b, bias, activation, alpha, c, beta)


def gemm(a, b, bias=None, activation=None, alpha=1.0, c=None, beta=1.0):
    """activation(alpha · a · b + bias) + beta · c of a (M, K) and b (K, N), or of batches of both.

    Sums are FP32. Operands may be transposed views; others whose rows do not begin at multiples of 16 bytes are copied.

    :param bias: (N), or None
    :param activation: None, "relu", "gelu", "gelu_tanh" or "silu"; None where there is c
    :param c: a tensor of the result's shape, or None; it is read, not written
    """
    return _call(a, b.transpose(-1, -2), bias, activation, alpha, c, beta)


def linear(x, weight, bias=None, activation=None):
    """activation(x · weightᵀ + bias) for each row of x (..., K); weight is (N, K), bias (N) or None.

    :param activation: None, "relu", "gelu", "gelu_tanh" or "silu"
    """
    if weight.dim() != 2 or not x.dim() or x.shape[-1] != weight.shape[-1]:
        raise ValueError(f"x has shape {tuple(x.shape)}, weight {tuple(weight.shape)}: needed are (..., K) and (N, K)")
    if x.dim() == 2:
        return _call(x, weight, bias, activation)
    y = _call(x.reshape(-1, x.shape[-1]), weight, bias, activation)
    return y.reshape(*x.shape[:-1], weight.shape[0])
