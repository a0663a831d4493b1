"""Operators on the rows of tensors (..., columns), without gradients so far."""

import threading

import torch

from . import _runtime
from ._torch import PLAIN, New, current_device, current_stream, is_tracing, keeps_gradients, register

_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
_MOST_ROWS = 1 << 30
_NAMES = ("X", "W", "B", "Y")


class _Plans(threading.local):
    """Prepared launches by problem, a set for each thread: a launch patches what it passes to the driver."""

    def __init__(self):
        self.known = {}


_plans = _Plans()


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
    if x.dtype not in _TYPES:
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
        case = device.data.case(operator, _TYPES[x.dtype])
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


def _call(operator, x, weight, bias, epsilon):
    """An operator on plain tensors at once, else through the dispatcher."""
    epsilon = float(epsilon)
    if is_tracing() or type(x) not in PLAIN:
        return getattr(torch.ops.tilewright, operator)(x, weight, bias, epsilon)
    if keeps_gradients() and any(t is not None and t.requires_grad for t in (x, weight, bias)):
        raise NotImplementedError(f"{operator} has no gradients: needed is torch.no_grad()")
    return _run(operator, x, weight, bias, epsilon)


def _no_gradients(ctx, *_):
    raise NotImplementedError("operators on rows have no gradients: needed is torch.no_grad()")


def _register(name):
    register(name, "(Tensor x, Tensor? weight, Tensor? bias, float epsilon) -> Tensor",
             lambda *arguments: _run(name, *arguments), lambda x, *_: x.new_empty(x.shape), _no_gradients)


for _name in ("rms_norm", "layer_norm", "softmax"):
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
