"""Quantising to 8 bits (float8_e4m3fn), and products of what was quantised."""

import torch

from . import _runtime
from ._torch import (PLAIN, TYPES, New, Plans, Scratch, current_device, current_stream, is_tracing,
                     keeps_gradients, register)

_CODE = torch.float8_e4m3fn
_OUTPUTS = {torch.bfloat16: "bf16", torch.float16: "f16"}
_SCALINGS = ("tensor", "row", "1x128", "128x128")
_BLOCK = 128
_VECTOR = 16  # codes of 16 bytes, in which tensors are copied
_PADDED = 4  # scales of 16 bytes
_quantizers, _products = Plans(), Plans()


def _up(extent, unit):
    return -(-extent // unit) * unit


def _blocks(extent):
    return -(-extent // _BLOCK)


class _Scales:
    """The shape and strides of the scales of x (M, K)."""

    def __init__(self, shape, scaling):
        m, k = shape
        if scaling == "tensor":
            self.shape, self.strides = (), ()
        elif scaling == "row":
            self.shape, self.strides = (m, 1), (1, 1)
        elif scaling == "1x128":  # neighbouring rows side by side, as products take them
            self.shape, self.strides = (m, _blocks(k)), (1, max(_PADDED, _up(m, _PADDED)))
        else:
            self.shape, self.strides = (_blocks(m), _blocks(k)), (max(1, _blocks(k)), 1)


class _Quantizer:
    """The launches of a quantizer, for one thread."""

    def __init__(self, x, scaling):
        if scaling not in _SCALINGS:
            raise ValueError(f"scaling {scaling!r}: needed is one of {', '.join(_SCALINGS)}")
        if x.dtype not in TYPES:
            raise TypeError(f"x is {x.dtype}: needed is torch.bfloat16, torch.float16 or torch.float32")
        if not x.is_cuda:
            raise ValueError(f"x is on {x.device}: needed is a CUDA device")
        if x.dim() != 2:
            raise ValueError(f"x has shape {tuple(x.shape)}: needed is a matrix (M, K)")
        m, k = x.shape
        self.ordinal, self.empty = x.get_device(), 0 in x.shape
        scales = _Scales(x.shape, scaling)
        self.codes, self.scales = New(x.shape, _CODE), New(scales.shape, torch.float32, scales.strides)
        if self.empty:
            return
        device = _runtime.device(self.ordinal)
        vector = 16 // x.element_size()
        if k % vector:
            vector = 1
        row = x.stride(0) if m > 1 else _up(k, vector)
        self.copies = x.stride(1) != 1 and k > 1 or row % vector != 0 or vector > 1 and x.data_ptr() % 16 != 0
        across, down = (*scales.strides, 1, 1)[:2]
        numbers = dict(M=m, K=k, V=vector, X_s=k if self.copies else row, Y_s=k, F_r=across, F_c=down)
        template = device.data.case("quantize", f"{TYPES[x.dtype]}-{scaling}").choose(numbers)
        self.workspace = [New((size(numbers)[0],), torch.uint8) for _, size in template.workspace]
        names = ("X", "Y", "Factor", *(name for name, _ in template.workspace))
        self.launches = device.launches(template, numbers, names, {})

    def run(self, x):
        """Enqueues the launches; gives codes and scales."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(x)
        codes, scales = self.codes.tensor(), self.scales.tensor()
        if self.empty:
            return codes, scales.fill_(1)
        if self.copies:
            x = x.clone(memory_format=torch.contiguous_format)
        held = [new.tensor() for new in self.workspace]
        self.launches.run((x.data_ptr(), codes.data_ptr(), scales.data_ptr(), *(part.data_ptr() for part in held)),
                          current_stream(self.ordinal), self.ordinal)
        return codes, scales


def _quantize(x, scaling):
    key = (x.shape, x.stride(), x.dtype, x.get_device(), x.data_ptr() & 15, scaling)
    plan = _quantizers.known.get(key)
    if plan is None:
        plan = _quantizers.known[key] = _Quantizer(x, scaling)
    return plan.run(x)


def _fake_quantize(x, scaling):
    scales = _Scales(x.shape, scaling)
    return (x.new_empty(x.shape, dtype=_CODE),
            x.new_empty_strided(scales.shape, scales.strides, dtype=torch.float32))


def _no_gradients(name, instead):
    def backward(ctx, *_):
        raise NotImplementedError(f"{name} has no gradients: {instead}")

    return backward


register("quantize", "(Tensor x, str scaling) -> (Tensor, Tensor)", _quantize, _fake_quantize,
         _no_gradients("quantize", "codes are no differentiable function of x"))


def quantize(x, scaling="row"):
    """Codes (torch.float8_e4m3fn) of x (M, K), and FP32 scales that turn them back: x ≈ codes · scale.

    A scale is its block's largest finite magnitude over 448; NaN and infinities become NaN.

    :param scaling: "tensor" for one scale, of shape (); "row" for (M, 1); "1x128" for one for each 128 of k in a row,
        (M, ⌈K/128⌉), of which neighbouring rows lie side by side; "128x128" for one for each 128 of k in 128 rows,
        (⌈M/128⌉, ⌈K/128⌉)
    """
    needed = keeps_gradients() and x.requires_grad
    if needed or is_tracing() or type(x) not in PLAIN:
        return torch.ops.tilewright.quantize(x, scaling)
    return _quantize(x, scaling)


def _scaling(a, b, scale_a, scale_b):
    """Of what scales are: "tensor", "row" or "block"."""
    (m, k), n = a.shape, b.shape[1]
    if scale_a.numel() == 1 and scale_b.numel() == 1:
        return "tensor"
    if tuple(scale_a.shape) in ((m, 1), (m,)) and tuple(scale_b.shape) in ((1, n), (n,)):
        return "row"
    if tuple(scale_a.shape) == (m, _blocks(k)) and tuple(scale_b.shape) == (_blocks(k), _blocks(n)):
        return "block"
    raise ValueError(
        f"scale_a has shape {tuple(scale_a.shape)} and scale_b {tuple(scale_b.shape)}: needed are one number each, or "
        f"({m}, 1) and (1, {n}), or ({m}, {_blocks(k)}) and ({_blocks(k)}, {_blocks(n)})")


def _check(a, b, scale_a, scale_b, bias, out_dtype):
    if out_dtype not in _OUTPUTS:
        raise TypeError(f"out_dtype is {out_dtype}: needed is torch.bfloat16 or torch.float16")
    for name, x, dtype in (("a", a, _CODE), ("b", b, _CODE), ("scale_a", scale_a, torch.float32),
                           ("scale_b", scale_b, torch.float32), ("bias", bias, out_dtype)):
        if x is None:
            continue
        if x.dtype != dtype:
            raise TypeError(f"{name} is {x.dtype}: needed is {dtype}")
        if not x.is_cuda or x.device != a.device:
            raise ValueError(f"{name} is on {x.device}, a on {a.device}: needed is one CUDA device")
    if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"a has shape {tuple(a.shape)} and b {tuple(b.shape)}: needed are (M, K) and (K, N)")
    if a.shape[1] % _VECTOR or b.shape[1] % _VECTOR:
        raise ValueError(f"K is {a.shape[1]} and N is {b.shape[1]}: needed are multiples of {_VECTOR}; fill a and b up "
                         "with zeros")
    if b.stride(0) != 1 and b.shape[0] > 1:
        raise ValueError(f"b has strides {tuple(b.stride())}: needed is a transposed view of a matrix (N, K), such as "
                         "weight.t()")
    if bias is not None and tuple(bias.shape) != (b.shape[1],):
        raise ValueError(f"bias has shape {tuple(bias.shape)}: needed is ({b.shape[1]},)")


def _aligned(x, unit):
    """Whether tensor copies reach the rows of a matrix."""
    return (x.stride(1) == 1 and (x.stride(0) % unit == 0 and x.stride(0) > 0 or x.shape[0] == 1)
            and x.data_ptr() % 16 == 0)


class _Product:
    """The launch of a product, for one thread."""

    def __init__(self, a, b, scale_a, scale_b, bias, out_dtype, fast):
        _check(a, b, scale_a, scale_b, bias, out_dtype)
        scaling = _scaling(a, b, scale_a, scale_b)
        self.ordinal, self.shape, self.blocks = a.get_device(), (a.shape[0], b.shape[1]), scaling == "block"
        if self.blocks and bias is not None:
            raise NotImplementedError("no kernel adds a bias to a product with scales of blocks: add it to the result")
        self.y = New(self.shape, out_dtype)
        self.empty = 0 in self.shape or 0 in a.shape
        if self.empty:
            return
        device = _runtime.device(self.ordinal)
        key = f"{_OUTPUTS[out_dtype]}-{scaling}"
        if fast and device.data.has("scaled_gemm", key + "-fast"):
            key += "-fast"
        case = device.data.case("scaled_gemm", key)
        (m, k), n = a.shape, b.shape[1]
        self.copies = [not _aligned(a, _VECTOR), not _aligned(b.t(), _VECTOR)]
        numbers = dict(M=m, N=n, K=k, L=1, C_s=n, C_l=m * n,
                       A_s=k if self.copies[0] or m == 1 else a.stride(0),
                       B_s=k if self.copies[1] or n == 1 else b.stride(1))
        numbers.update(A_l=m * numbers["A_s"], B_l=n * numbers["B_s"])
        if self.blocks:
            column = scale_a.stride(1)
            self.moved = None
            if (m > 1 and scale_a.stride(0) != 1 or _blocks(k) > 1 and (column % _PADDED or column < m)
                    or scale_a.data_ptr() % 16):
                column = _up(m, _PADDED)
                self.moved = New(scale_a.shape, torch.float32, (1, column))
            numbers.update(SA_s=max(column, _up(m, _PADDED)), SB_r=scale_b.stride(1), SB_c=scale_b.stride(0))
        self.zeros = a.new_zeros(n, dtype=out_dtype) if bias is None and not self.blocks else None
        template = case.choose(numbers)
        if template is None:
            raise NotImplementedError(f"no kernel for a product of {numbers}")
        scratch = [(name, size(numbers)[0]) for launch in template.launches for name, size in launch.scratch]
        self.scratch = Scratch(self.ordinal, scratch)
        names = ("A", "B", "C", "SA", "SB", "bias", *(name for name, _ in scratch))
        self.launches = device.launches(template, numbers, names, {"alpha": 1.0})

    def run(self, a, b, scale_a, scale_b, bias):
        """Enqueues the launch; gives the product."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(a, b, scale_a, scale_b, bias)
        y = self.y.tensor()
        if self.empty:
            return y.zero_() if bias is None else y.copy_(bias.expand(self.shape))
        if self.copies[0]:
            a = a.clone(memory_format=torch.contiguous_format)
        if self.copies[1]:
            b = b.t().clone(memory_format=torch.contiguous_format).t()
        if self.blocks:
            if self.moved is not None:
                scale_a = self.moved.tensor().copy_(scale_a)
        else:
            scale_a, scale_b = _vector(scale_a), _vector(scale_b)
            bias = self.zeros if bias is None else _vector(bias)
        stream = current_stream(self.ordinal)
        held = self.scratch.tensors(stream)
        self.launches.run((a.data_ptr(), b.data_ptr(), y.data_ptr(), scale_a.data_ptr(), scale_b.data_ptr(),
                           0 if bias is None else bias.data_ptr(), *(part.data_ptr() for part in held)), stream,
                          self.ordinal)
        return y


def _vector(x):
    """The tensor, or a copy, as a vector whose elements are read in pairs."""
    return x if x.is_contiguous() and x.data_ptr() % 16 == 0 else x.clone(memory_format=torch.contiguous_format)


def _multiply(a, b, scale_a, scale_b, bias, out_dtype, use_fast_accum):
    key = (a.shape, b.shape, a.stride(), b.stride(), a.dtype, b.dtype, a.get_device(), b.get_device(),
           (a.data_ptr() | b.data_ptr() | scale_a.data_ptr()) & 15, scale_a.shape, scale_a.stride(), scale_b.shape,
           scale_b.stride(), scale_a.dtype, scale_b.dtype, scale_a.get_device(), scale_b.get_device(),
           None if bias is None else (bias.shape, bias.dtype, bias.get_device()), out_dtype, use_fast_accum)
    plan = _products.known.get(key)
    if plan is None:
        plan = _products.known[key] = _Product(a, b, scale_a, scale_b, bias, out_dtype, use_fast_accum)
    return plan.run(a, b, scale_a, scale_b, bias)


register("scaled_gemm", "(Tensor a, Tensor b, Tensor scale_a, Tensor scale_b, Tensor? bias, ScalarType out_dtype, "
         "bool use_fast_accum) -> Tensor", _multiply,
         lambda a, b, scale_a, scale_b, bias, out_dtype, fast: a.new_empty((a.shape[0], b.shape[1]), dtype=out_dtype),
         _no_gradients("scaled_gemm", "multiply what was quantised by gemm where gradients are needed"))


def scaled_gemm(a, b, scale_a, scale_b, bias=None, out_dtype=torch.bfloat16, use_fast_accum=False):
    """(scale_a · a) · (scale_b · b) + bias of a (M, K) and b (K, N) of torch.float8_e4m3fn, like torch._scaled_mm.

    b is a transposed view of a matrix (N, K); K and N are multiples of 16. Scales are FP32: one number each; or one for
    each row of a, (M, 1), and each column of b, (1, N); or, on Hopper, one for each 128 of k in a row of a,
    (M, ⌈K/128⌉), and in 128 columns of b, (⌈K/128⌉, ⌈N/128⌉), as quantize makes them of a and, transposed, of bᵀ.

    :param bias: (N) of out_dtype, or None; not with scales of blocks
    :param use_fast_accum: whether the tensor core may sum all of K by itself, which keeps 14 bits on Hopper
    """
    tensors = (a, b, scale_a, scale_b, bias)
    needed = keeps_gradients() and any(x is not None and x.requires_grad for x in tensors)
    if needed or is_tracing() or type(a) not in PLAIN or type(b) not in PLAIN:
        return torch.ops.tilewright.scaled_gemm(*tensors, out_dtype, use_fast_accum)
    return _multiply(*tensors, out_dtype, use_fast_accum)
