"""Rows of a table by their numbers."""

import torch

from . import _runtime
from ._torch import (PLAIN, TYPES, New, Plans, current_device, current_stream, is_tracing, is_transforming,
                     keeps_gradients, register)

_WORDS = {torch.int32: 1, torch.int64: 2}
_MOST = 1 << 30
_NAMES = ("I", "W", "Y")

_plans = Plans()


def _check(ids, table):
    if ids.dtype not in _WORDS:
        raise TypeError(f"ids are {ids.dtype}: needed is torch.int64 or torch.int32")
    if table.dtype not in TYPES:
        raise TypeError(f"the table is {table.dtype}: needed is torch.bfloat16, torch.float16 or torch.float32")
    if not table.is_cuda:
        raise ValueError(f"the table is on {table.device}: needed is a CUDA device")
    if ids.device != table.device:
        raise ValueError(f"ids are on {ids.device}, but the table is on {table.device}")
    if table.dim() != 2:
        raise ValueError(f"the table has shape {tuple(table.shape)}: needed is (rows, columns)")


class _Plan:
    """The launch of a problem, for one thread."""

    def __init__(self, ids, table):
        _check(ids, table)
        rows, columns = table.shape
        self.ordinal, self.shape = table.get_device(), (*ids.shape, columns)
        self.empty = 0 in self.shape
        if self.empty:
            return
        device = _runtime.device(self.ordinal)
        case = device.data.case("embedding", TYPES[table.dtype])
        lengths = case.only("columns")
        if columns not in lengths:
            raise NotImplementedError(
                f"this package has no embedding for rows of {columns}, only of {', '.join(map(str, lengths))}; "
                f"add it by: tilewright package --out DIR --arch sm{device.data.chosen_for} --columns {columns},...")
        if max(rows, ids.numel()) > _MOST:
            raise NotImplementedError(f"{ids.numel()} ids and {rows} rows: needed are at most {_MOST} of each")
        step, row = self._id_stride(ids), table.stride(0) if rows > 1 else columns
        vector = 16 // table.element_size()
        self.copies_ids = step is None
        self.copies = (table.stride(1) != 1 and columns > 1 or row != columns and row % vector != 0
                       or table.data_ptr() % 16 != 0)
        # The lower word of an id is its first.
        words = _WORDS[ids.dtype] * (1 if self.copies_ids else step)
        numbers = dict(M=ids.numel(), N=columns, V=rows, I_s=words, W_s=columns if self.copies else row, Y_s=columns)
        self.y = New(self.shape, table.dtype)
        self.launches = device.launches(case.choose(numbers), numbers, _NAMES, {})

    @staticmethod
    def _id_stride(ids):
        """The stride from each id to the next; None where that is no one number."""
        walked = [(extent, stride) for extent, stride in zip(ids.shape, ids.stride()) if extent > 1]
        if any(outer != extent * stride for (_, outer), (extent, stride) in zip(walked, walked[1:])):
            return None
        return walked[-1][1] if walked else 1

    def run(self, ids, table):
        """Enqueues the launch; gives Y."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(ids, table)
        if self.empty:
            return table.new_empty(self.shape)
        if self.copies_ids:
            ids = ids.clone(memory_format=torch.contiguous_format)
        if self.copies:
            table = table.clone(memory_format=torch.contiguous_format)
        y = self.y.tensor()
        self.launches.run((ids.data_ptr(), table.data_ptr(), y.data_ptr()), current_stream(self.ordinal), self.ordinal)
        return y


def _run(ids, table):
    key = (ids.shape, ids.stride(), ids.dtype, ids.get_device(), table.shape, table.stride(), table.dtype,
           table.get_device(), table.data_ptr() & 15)
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Plan(ids, table)
    return plan.run(ids, table)


def _remember(ctx, inputs, output):
    ids, table = inputs
    ctx.save_for_backward(ids)
    ctx.rows = table.shape[0]


def _gradients(ctx, dy):
    """The sum of the gradients of each row's copies, by PyTorch's kernel, which adds in FP32 and in a fixed order."""
    ids, = ctx.saved_tensors
    outside = (ids < 0) | (ids >= ctx.rows)
    dy = dy.masked_fill(outside.unsqueeze(-1), 0)
    return None, torch.ops.aten.embedding_dense_backward(dy, ids.masked_fill(outside, 0), ctx.rows, -1, False)


class _Embedding(torch.autograd.Function):
    """The operator, whose gradients are asked for."""

    @staticmethod
    def forward(ctx, ids, table):
        y = _run(ids, table)
        _remember(ctx, (ids, table), y)
        return y

    backward = staticmethod(_gradients)


# Function.apply without its support of transforms, which know no addresses.
_apply = super(torch.autograd.Function, _Embedding).apply


def _batched(info, dims, ids, table):
    if dims[1] is not None:
        raise NotImplementedError("vmap of embedding over the table: needed is vmap over ids alone")
    return torch.ops.tilewright.embedding(ids.movedim(dims[0], 0), table), 0


register("embedding", "(Tensor ids, Tensor table) -> Tensor", _run,
         lambda ids, table: table.new_empty((*ids.shape, table.shape[-1])), _gradients, _remember, _batched)


def embedding(ids, table):
    """Rows of a table (rows, columns) by ids of any shape; the result is (..., columns), of the table's type.

    An id outside the table gives a row of zeros. Of 64-bit ids the lower 32 bits count.
    """
    if is_tracing() or type(ids) not in PLAIN or type(table) not in PLAIN or is_transforming():
        return torch.ops.tilewright.embedding(ids, table)
    if keeps_gradients() and table.requires_grad:
        return _apply(ids, table)
    return _run(ids, table)
