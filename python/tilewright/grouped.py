"""Products of groups of rows, each with a matrix of its own, such as the experts of a mixture."""

import torch

from . import _runtime
from ._torch import PLAIN, New, Plans, current_device, current_stream, is_tracing, keeps_gradients, register
from .products import _reached

_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16"}
_VECTOR = 8  # elements of 16 bytes, in which tensors are copied
_plans = Plans()


def _check(a, b, offs):
    for name, x in (("a", a), ("b", b)):
        if x.dtype not in _TYPES:
            raise TypeError(f"{name} is {x.dtype}: needed is torch.bfloat16 or torch.float16")
    if b.dtype != a.dtype:
        raise TypeError(f"b is {b.dtype}, but a is {a.dtype}")
    if offs.dtype != torch.int32:
        raise TypeError(f"offs is {offs.dtype}: needed is torch.int32")
    for name, x in (("a", a), ("b", b), ("offs", offs)):
        if not x.is_cuda or x.device != a.device:
            raise ValueError(f"{name} is on {x.device}, a on {a.device}: needed is one CUDA device")
    if a.dim() != 2 or b.dim() != 3 or a.shape[1] != b.shape[1]:
        raise ValueError(f"a has shape {tuple(a.shape)} and b {tuple(b.shape)}: needed are (M, K) and (groups, K, N)")
    if tuple(offs.shape) != b.shape[:1]:
        raise ValueError(f"offs has shape {tuple(offs.shape)}: needed is ({b.shape[0]},)")
    if b.shape[1] % _VECTOR or b.shape[2] % _VECTOR:
        raise ValueError(f"K is {b.shape[1]} and N is {b.shape[2]}: needed are multiples of {_VECTOR}; fill a and b up "
                         "with zeros")


class _Plan:
    """The launch of a problem, for one thread."""

    def __init__(self, a, b, offs):
        _check(a, b, offs)
        self.ordinal, (m, k), (groups, _, n) = a.get_device(), a.shape, b.shape
        self.y = New((m, n), a.dtype)
        self.empty = 0 in a.shape or 0 in b.shape
        if self.empty:
            return
        device = _runtime.device(self.ordinal)
        given = a, b
        a, b, along = self.given(a, b)
        self.copies = a is not given[0] or b is not given[1]
        case = device.data.case("grouped_gemm", f"{_TYPES[a.dtype]}-{'n' if along else 't'}")
        numbers = dict(M=m, N=n, K=k, G=groups, C_s=n, A_s=a.stride(0) if m > 1 else k)
        row, length, rows = (b.stride(2), k, n) if along else (b.stride(1), n, k)
        numbers["B_s"] = row if rows > 1 else length
        numbers["B_l"] = b.stride(0) if groups > 1 else numbers["B_s"] * rows
        self.launches = device.launches(case.choose(numbers), numbers, ("A", "B", "C", "ends"), {"alpha": 1.0})

    @staticmethod
    def given(a, b):
        """The matrices as tensor copies reach them, and whether b lies along k."""
        a, _ = _reached(a, False)
        b, mode = _reached(b, True)
        return a, b, mode == -2

    def run(self, a, b, offs):
        """Enqueues the launch; gives the products."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(a, b, offs)
        y = self.y.tensor()
        if self.empty:
            return y.zero_()
        if self.copies:
            a, b, _ = self.given(a, b)
        offs = offs if offs.is_contiguous() else offs.contiguous()
        self.launches.run((a.data_ptr(), b.data_ptr(), y.data_ptr(), offs.data_ptr()), current_stream(self.ordinal),
                          self.ordinal)
        return y


def _run(a, b, offs):
    key = (a.shape, b.shape, a.stride(), b.stride(), a.dtype, b.dtype, a.get_device(), b.get_device(),
           (a.data_ptr() | b.data_ptr()) & 15, offs.shape, offs.dtype, offs.get_device())
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Plan(a, b, offs)
    return plan.run(a, b, offs)


def _remember(ctx, inputs, output):
    a, b, offs = inputs
    ctx.save_for_backward(a, b, offs)


def _backward(ctx, dy):
    a, b, offs = ctx.saved_tensors
    dy = dy.contiguous()
    da = torch.ops.tilewright.grouped_gemm(dy, b.transpose(1, 2), offs) if ctx.needs_input_grad[0] else None
    return da, _sums_over_rows(a, dy, offs) if ctx.needs_input_grad[1] else None, None


def _sums_over_rows(a, dy, offs):
    """The gradient of b by PyTorch's product: no kernel of ours sums over the rows of a group."""
    product = getattr(torch, "_grouped_mm", None)
    if product is None:
        raise NotImplementedError("grouped_gemm has no gradient of b in this PyTorch: needed is torch._grouped_mm")
    return product(a.t(), dy, offs=offs)


register("grouped_gemm", "(Tensor a, Tensor b, Tensor offs) -> Tensor", _run,
         lambda a, b, offs: a.new_empty((a.shape[0], b.shape[2])), _backward, _remember)


def grouped_gemm(a, b, offs):
    """a[begin:end] · b[group] for each group of rows of a (M, K), like torch._grouped_mm; b is (groups, K, N).

    The number of rows of each group stays on the GPU. Sums are FP32. Rows behind the last end are undefined.

    :param offs: int32 (groups): the row behind the last one of each group, ascending
    """
    needed = keeps_gradients() and (a.requires_grad or b.requires_grad)
    if needed or is_tracing() or type(a) not in PLAIN or type(b) not in PLAIN:
        return torch.ops.tilewright.grouped_gemm(a, b, offs)
    return _run(a, b, offs)
