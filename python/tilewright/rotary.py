"""Rotary position embedding."""

import torch

from . import _runtime
from ._torch import (PLAIN, TYPES, New, Plans, current_device, current_stream, is_tracing, is_transforming,
                     keeps_gradients, register)

_TABLES = (*TYPES, torch.float64)
_MOST_TOKENS = 1 << 30
_NAMES = ("X", "C", "T", "Y")

_plans = Plans()


def _check(x, tables):
    if x.dtype not in TYPES:
        raise TypeError(f"x is {x.dtype}: needed is torch.bfloat16, torch.float16 or torch.float32")
    if not x.is_cuda:
        raise ValueError(f"x is on {x.device}: needed is a CUDA device")
    if x.dim() != 4:
        raise ValueError(f"x has shape {tuple(x.shape)}: needed is (batch, sequence, heads, dim)")
    batch, sequence, _, dim = x.shape
    if dim % 2 or not dim:
        raise ValueError(f"x has head dimension {dim}: needed is an even one")
    for name, table in tables:
        if table.dtype not in _TABLES:
            raise TypeError(f"{name} is {table.dtype}: needed is a type of floating point, such as torch.float32")
        if table.device != x.device:
            raise ValueError(f"{name} is on {table.device}, but x is on {x.device}")
        shape = tuple(table.shape)
        if (len(shape) not in (2, 3) or shape[-2] != sequence or shape[-1] not in (dim // 2, dim)
                or len(shape) == 3 and shape[0] not in (1, batch)):
            raise ValueError(f"{name} has shape {shape}: needed is ({sequence}, {dim // 2}) or "
                             f"({batch}, {sequence}, {dim // 2}), or {dim} for the last extent")


def _token_stride(tensor):
    """The stride from each token of (batch, sequence, ...) to the next; None where that is no one number."""
    (batch, sequence), (entry, token) = tensor.shape[:2], tensor.stride()[:2]
    if sequence == 1:
        return entry if batch > 1 else 0
    return token if batch == 1 or entry == sequence * token else None


class _Table:
    """How a table of angles becomes one of FP32 (batch, sequence, dim / 2) whose rows begin at 16 bytes."""

    def __init__(self, table, batch, pairs, merged):
        self._shape = (batch, *table.shape[-2:-1], pairs)
        view = self._view(table)
        strides = view.stride()
        fits = (table.dtype is torch.float32 and strides[-1] == 1 and table.data_ptr() % 16 == 0
                and not any(stride % 4 for stride in strides[:2])
                and not (merged and _token_stride(view) is None))
        self._copies = not fits
        if self._copies:
            strides = (self._shape[1] * pairs, pairs, 1)
        self.entry = strides[0]
        self.token = strides[1] if self._copies or not merged else _token_stride(view)

    def _view(self, table):
        return table[..., :self._shape[-1]].expand(self._shape)

    def of(self, table):
        """The tensor that the launch reads, which must live until then."""
        if self._copies:
            return self._view(table).to(torch.float32, copy=True, memory_format=torch.contiguous_format)
        return table


class _Plan:
    """The launches of a problem, for one thread."""

    def __init__(self, x, cos, sin):
        _check(x, (("cos", cos), ("sin", sin)))
        self.ordinal, self.empty = x.get_device(), 0 in x.shape
        if self.empty:
            return
        batch, sequence, heads, dim = x.shape
        device = _runtime.device(self.ordinal)
        case = device.data.case("rope", TYPES[x.dtype])
        dims = case.only("dim")
        if dim not in dims:
            raise NotImplementedError(f"this package has no rope for head dimension {dim}, only for "
                                      f"{', '.join(map(str, dims))}")
        if batch * sequence > _MOST_TOKENS:
            raise NotImplementedError(f"{batch * sequence} tokens: needed are at most {_MOST_TOKENS}")
        size = x.element_size()
        walked = [stride for extent, stride in zip(x.shape[:3], x.stride()) if extent > 1]
        self.copies = (x.stride(-1) != 1 or x.data_ptr() % 16 != 0
                       or any(stride * size % 16 for stride in walked))
        entry, token, head, _ = (sequence * heads * dim, heads * dim, dim, 1) if self.copies else x.stride()
        # Batch and sequence are one extent where that walks x, else there is a launch for each entry.
        one = token if self.copies else _token_stride(x)
        merged = one is not None
        self.cos, self.sin = (_Table(table, batch, dim // 2, merged) for table in (cos, sin))
        tokens, self.entries = (batch * sequence, 1) if merged else (sequence, batch)
        self.steps = entry * size, 4 * self.cos.entry, 4 * self.sin.entry, sequence * heads * dim * size
        self.y = New(x.shape, x.dtype)
        numbers = dict(S=tokens, H=heads, D=dim, X_s=one if merged else token, X_h=head if heads > 1 else dim,
                       Y_s=heads * dim, Y_h=dim, C_s=self.cos.token, T_s=self.sin.token)
        self.launches = device.launches(case.choose(numbers), numbers, _NAMES, {})

    def run(self, x, cos, sin):
        """Enqueues the launches; gives Y."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(x, cos, sin)
        if self.empty:
            return x.new_empty(x.shape)
        if self.copies:
            x = x.clone(memory_format=torch.contiguous_format)
        y, cos, sin = self.y.tensor(), self.cos.of(cos), self.sin.of(sin)
        addresses, stream = (x.data_ptr(), cos.data_ptr(), sin.data_ptr(), y.data_ptr()), current_stream(self.ordinal)
        for i in range(self.entries):
            self.launches.run([address + i * step for address, step in zip(addresses, self.steps)], stream,
                              self.ordinal)
        return y


def _place(table):
    return table.shape, table.stride(), table.dtype, table.get_device(), table.data_ptr() & 15


def _run(x, cos, sin):
    key = (x.shape, x.stride(), x.dtype, x.get_device(), x.data_ptr() & 15, _place(cos), _place(sin))
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Plan(x, cos, sin)
    return plan.run(x, cos, sin)


def _remember(ctx, inputs, output):
    ctx.save_for_backward(*inputs[1:])


def _gradients(ctx, dy):
    """Turns back, which is by the opposite angles."""
    if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
        raise NotImplementedError("rope has no gradients of cos and sin: needed are tables without requires_grad")
    cos, sin = ctx.saved_tensors
    return rope(dy, cos, -sin), None, None


def _batched(info, dims, x, cos, sin):
    """The rule of torch.vmap: entries are more of the batch."""
    if dims[1] is not None or dims[2] is not None:
        raise NotImplementedError("vmap of rope over cos or sin: needed is vmap over x alone")
    x = x.movedim(dims[0], 0)
    tables = [t.repeat(info.batch_size, 1, 1) if t.dim() == 3 and t.shape[0] > 1 else t for t in (cos, sin)]
    return torch.ops.tilewright.rope(x.flatten(0, 1), *tables).unflatten(0, x.shape[:2]), 0


class _Rope(torch.autograd.Function):
    """The operator, whose gradients are asked for."""

    @staticmethod
    def forward(ctx, x, cos, sin):
        y = _run(x, cos, sin)
        _remember(ctx, (x, cos, sin), y)
        return y

    backward = staticmethod(_gradients)


# Function.apply without its support of transforms, which know no addresses.
_apply = super(torch.autograd.Function, _Rope).apply

register("rope", "(Tensor x, Tensor cos, Tensor sin) -> Tensor", _run, lambda x, *_: x.new_empty(x.shape), _gradients,
         _remember, _batched)


def rope(x, cos, sin):
    """Rotates elements i and i + dim/2 of each head of x (batch, sequence, heads, dim) by angle i of their token.

    Arithmetic is FP32, and the result has x's type. Gradients are those of x.

    :param cos: cosines (sequence, dim/2) or (batch, sequence, dim/2) of any type of floating point; of a table with
        dim columns, as transformers makes them, the first half is read
    :param sin: sines likewise
    """
    if is_tracing() or type(x) not in PLAIN or is_transforming():
        return torch.ops.tilewright.rope(x, cos, sin)
    if keeps_gradients() and (x.requires_grad or cos.requires_grad or sin.requires_grad):
        return _apply(x, cos, sin)
    return _run(x, cos, sin)
