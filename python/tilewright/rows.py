"""Operators on the rows of tensors (..., columns).

Gradients are made of PyTorch's operators, in FP32, which torch.compile fuses. Under autocast x keeps its type, and
weight and bias are cast to it: sums are FP32 whatever that is.
"""

import torch

from . import _runtime
from ._torch import (PLAIN, TYPES, New, Plans, current_device, current_stream, is_tracing, is_transforming,
                     keeps_gradients, register)

_MOST_ROWS = 1 << 30
_NAMES = ("X", "W", "B", "Y")
_plans = Plans()


def _row_stride(x):
    """The stride from each row to the next; 0 where that is no one number."""
    if x.stride(-1) != 1 and x.shape[-1] > 1:
        return 0
    rows = [(size, stride) for size, stride in zip(x.shape[:-1], x.stride()) if size > 1]
    for (_, outer), (size, stride) in zip(rows, rows[1:]):
        if outer != size * stride:
            return 0
    return rows[-1][1] if rows else x.shape[-1]


def _check(operator, x, vectors):
    if x.dtype not in TYPES:
        raise TypeError(f"x is {x.dtype}: needed is torch.bfloat16, torch.float16 or torch.float32")
    if not x.is_cuda:
        raise ValueError(f"x is on {x.device}: needed is a CUDA device")
    if not x.dim():
        raise ValueError(f"{operator} of a number: needed is a tensor (..., columns)")
    for name, vector in vectors:
        if vector.dtype != x.dtype:
            raise TypeError(f"{name} is {vector.dtype}, but x is {x.dtype}")
        if vector.device != x.device:
            raise ValueError(f"{name} is on {vector.device}, but x is on {x.device}")
        if vector.shape != x.shape[-1:]:
            raise ValueError(f"{name} has shape {tuple(vector.shape)}: needed is {tuple(x.shape[-1:])}")


class _Plan:
    """The launch of a problem, for one thread."""

    def __init__(self, operator, x, weight, bias, epsilon):
        given = [(name, vector) for name, vector in (("weight", weight), ("bias", bias)) if vector is not None]
        _check(operator, x, given)
        self.ordinal, self.empty, columns = x.get_device(), 0 in x.shape, x.shape[-1]
        if self.empty:
            return
        device = _runtime.device(self.ordinal)
        case = device.data.case(operator, TYPES[x.dtype])
        lengths = case.only("columns")
        if columns not in lengths:
            raise NotImplementedError(
                f"this package has no {operator} for rows of {columns}, only of {', '.join(map(str, lengths))}; "
                f"add it by: tilewright package --out DIR --arch sm{device.data.chosen_for} --columns {columns},...")
        rows = x.numel() // columns
        if rows > _MOST_ROWS:
            raise NotImplementedError(f"{rows} rows: needed are at most {_MOST_ROWS}")
        stride = _row_stride(x)
        vector = 16 // x.element_size()
        self.copies = stride == 0 or rows > 1 and stride % vector != 0 or x.data_ptr() % 16 != 0
        self.whole = [vector.is_contiguous() and vector.data_ptr() % 16 == 0 for _, vector in given]
        self.ones = x.new_full((columns,), 1) if weight is None else None
        self.zeros = x.new_full((columns,), 0) if bias is None else None
        self.y = New(x.shape, x.dtype)
        numbers = dict(M=rows, N=columns, X_s=columns if self.copies or rows == 1 else stride, Y_s=columns)
        self.launches = device.launches(case.choose(numbers), numbers, _NAMES, {"epsilon": epsilon})

    def run(self, x, weight, bias):
        """Enqueues the launch; gives Y."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(x, weight, bias)
        if self.empty:
            return x.new_empty(x.shape)
        if self.copies:
            x = x.clone(memory_format=torch.contiguous_format)
        weight, bias = self.ones if weight is None else weight, self.zeros if bias is None else bias
        if False in self.whole:
            weight, bias = (v.clone(memory_format=torch.contiguous_format) for v in (weight, bias))
        y = self.y.tensor()
        self.launches.run((x.data_ptr(), weight.data_ptr(), bias.data_ptr(), y.data_ptr()),
                          current_stream(self.ordinal), self.ordinal)
        return y


def _place(vector):
    return None if vector is None else (vector.shape, vector.stride(), vector.dtype, vector.get_device(),
                                        vector.data_ptr() & 15)


def _run(operator, x, weight, bias, epsilon):
    key = (operator, x.shape, x.stride(), x.dtype, x.get_device(), x.data_ptr() & 15, epsilon, _place(weight),
           _place(bias))
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Plan(operator, x, weight, bias, epsilon)
    return plan.run(x, weight, bias)


# PyTorch's own kernel, where it has one.
_fused = getattr(torch.ops.aten, "_fused_rms_norm_backward", None)


def _rms_norm_gradients(ctx, dy):
    x, weight = ctx.saved_tensors
    needed, columns = ctx.needs_input_grad, x.shape[-1]
    if _fused is not None and x.is_cuda and not keeps_gradients():
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
        scale = torch.rsqrt(norm * norm / columns + ctx.epsilon)
        return *_fused(dy.contiguous(), x.contiguous(), [columns], scale, weight, list(needed[:2])), None, None
    kind, x, dy = x.dtype, x.float(), dy.float()
    normal = x * (scale := torch.rsqrt(x.square().mean(-1, keepdim=True) + ctx.epsilon))
    dx = dw = None
    if needed[0]:
        weighted = dy if weight is None else dy * weight
        dx = (scale * (weighted - normal * (weighted * normal).mean(-1, keepdim=True))).to(kind)
    if needed[1]:
        dw = (dy * normal).reshape(-1, columns).sum(0).to(weight.dtype)
    return dx, dw, None, None


def _layer_norm_gradients(ctx, dy):
    x, weight = ctx.saved_tensors
    needed, columns = list(ctx.needs_input_grad[:3]), x.shape[-1:]
    _, mean, scale = torch.native_layer_norm(x, columns, None, None, ctx.epsilon)
    bias = x.new_empty(columns) if needed[2] else None  # its elements are not read
    passed_back = torch.ops.aten.native_layer_norm_backward(dy.contiguous(), x.contiguous(), columns, mean, scale,
                                                            weight, bias, needed)
    return *passed_back, None


def _softmax_gradients(ctx, dy):
    y, = ctx.saved_tensors
    return torch._softmax_backward_data(dy, y, -1, y.dtype), None, None, None


_GRADIENTS = {"rms_norm": _rms_norm_gradients, "layer_norm": _layer_norm_gradients, "softmax": _softmax_gradients}


def _remember(ctx, inputs, output):
    x, weight, _, ctx.epsilon = inputs
    ctx.save_for_backward(x, weight)


def _remember_output(ctx, inputs, output):
    ctx.save_for_backward(output)


_REMEMBER = {"rms_norm": _remember, "layer_norm": _remember, "softmax": _remember_output}


class _Rows(torch.autograd.Function):
    """An operator whose gradients are asked for."""

    @staticmethod
    def forward(ctx, x, weight, bias, epsilon, operator):
        y = _run(operator, x, weight, bias, epsilon)
        _REMEMBER[operator](ctx, (x, weight, bias, epsilon), y)
        ctx.operator = operator
        return y

    @staticmethod
    def backward(ctx, dy):
        return (*_GRADIENTS[ctx.operator](ctx, dy), None)


# Function.apply without its support of transforms, which know no addresses.
_apply = super(torch.autograd.Function, _Rows).apply


def _call(operator, x, weight, bias, epsilon):
    """An operator on plain tensors at once, else through the dispatcher."""
    epsilon = float(epsilon)
    if weight is not None and weight.dtype is not x.dtype or bias is not None and bias.dtype is not x.dtype:
        weight, bias = _cast(x.dtype, weight, bias)
    if is_tracing() or type(x) not in PLAIN or is_transforming():
        return getattr(torch.ops.tilewright, operator)(x, weight, bias, epsilon)
    if keeps_gradients() and (x.requires_grad or weight is not None and weight.requires_grad
                              or bias is not None and bias.requires_grad):
        return _apply(x, weight, bias, epsilon, operator)
    return _run(operator, x, weight, bias, epsilon)


def _cast(dtype, *vectors):
    """The vectors in x's type under autocast, else as they are."""
    if torch.is_autocast_enabled():
        return [None if vector is None else vector.to(dtype) for vector in vectors]
    return vectors


def _batched(name):
    """The operator's rule under torch.vmap, where a batch of x is more rows."""
    def rule(info, dims, x, weight, bias, epsilon):
        if dims[0] is None or dims[1] is not None or dims[2] is not None:
            raise NotImplementedError(f"vmap of {name} over weight or bias: needed is vmap over x alone")
        return getattr(torch.ops.tilewright, name)(x.movedim(dims[0], 0), weight, bias, epsilon), 0

    return rule


def _register(name):
    register(name, "(Tensor x, Tensor? weight, Tensor? bias, float epsilon) -> Tensor",
             lambda *arguments: _run(name, *arguments), lambda x, *_: x.new_empty(x.shape), _GRADIENTS[name],
             _REMEMBER[name], _batched(name))


for _name in _GRADIENTS:
    _register(_name)


def rms_norm(x, weight=None, eps=1e-5):
    """x / √(mean of x² + eps) · weight for each row of x (..., columns); weight is (columns) or None.

    Sums are FP32.
    """
    return _call("rms_norm", x, weight, None, eps)


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    """(x − mean) / √(variance + eps) · weight + bias for each row of x (..., columns); weight and bias are (columns)
    or None.
    """
    return _call("layer_norm", x, weight, bias, eps)


def softmax(x):
    """exp(x) / Σ exp(x) for each row of x (..., columns)."""
    return _call("softmax", x, None, None, 0.0)
