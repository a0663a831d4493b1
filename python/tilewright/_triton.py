"""What Triton compiles for a launch: caught where it would talk to the driver."""

import contextlib
import dataclasses
import functools
import importlib
import re
import struct
from unittest import mock

from ._arrays import Array

FORMATS = {"i1": "<?", "u1": "<?", "i8": "<b", "u8": "<B", "i16": "<h", "u16": "<H", "i32": "<i", "u32": "<I",
           "i64": "<q", "u64": "<Q", "fp16": "<e", "fp32": "<f", "f32": "<f", "fp64": "<d"}
WORDS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
ELEMENTS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "u8", "uint8": "u8",
            "int16": "u16", "uint16": "u16", "int32": "s32", "uint32": "u32", "int64": "s64", "uint64": "u64",
            "float8_e4m3fn": "u8", "float8_e5m2": "u8"}
SWIZZLES = ("none", "32B", "64B", "128B")
INLINE = re.compile(r"// begin inline asm\n.*?// end inline asm", re.S)
LINE = re.compile(r"[ \t]*\.loc[ \t][^\n]*\n")


@dataclasses.dataclass(frozen=True)
class Launch:
    """A compiled kernel, its grid, and its arguments in order, with those that became constants."""

    kernel: object
    grid: tuple
    values: tuple

    def ptx(self):
        """The PTX. LLVM counts the lines of inline assembly on from that of Python, which is the first."""
        return INLINE.sub(_at_first_line, self.kernel.asm["ptx"])

    def arguments(self):
        """The arguments of the PTX as ``launch.json`` has them."""
        found = []
        descriptors = iter(getattr(self.kernel.metadata, "tensordesc_meta", None) or ())
        for kind, value in zip(self.kernel.src.signature.values(), self.values):
            _append(kind, value, descriptors, found)
        return found


def _at_first_line(block):
    lines = LINE.findall(block[0])
    return LINE.sub("", block[0]).replace("\n", "\n" + lines[0], 1) if lines else block[0]


def _append(kind, value, descriptors, found):
    if kind == "constexpr":
        return
    if isinstance(kind, tuple):
        for k, v in zip(kind, value):
            _append(k, v, descriptors, found)
    elif kind.startswith("tensordesc"):
        found.extend(_descriptor(value, next(descriptors, None)))
    elif kind.startswith("*"):
        found.append(_pointer(value))
    else:
        found.append(_scalar(kind, value))


def _pointer(value):
    if isinstance(value, Array):
        return {"buffer": value.storage.name, "bufferOffset": value.offset}
    if value is None:
        return {"u64": 0}
    raise TypeError(f"a pointer is {type(value).__name__}; simulate takes NumPy arrays and tensors of the CPU")


def _scalar(kind, value):
    if kind == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return {"u16": (bits + 0x7FFF + (bits >> 16 & 1)) >> 16}
    content = struct.pack(FORMATS[kind], value)
    return {WORDS[len(content)]: int.from_bytes(content, "little")}


def _descriptor(value, meta):
    """A descriptor made by the host: a tensor map, or where there are none its parts; then its extents and strides."""
    base = value.base
    extents = [{"u32": n & 0xFFFFFFFF} for n in value.shape] + [{"u64": n} for n in value.strides]
    if meta is None:
        longs = [{"u64": n} for n in (*value.shape, *value.strides)]
        return [_pointer(base), *longs, {"u8": int(value.padding == "nan")},
                {"u8": int(getattr(value, "round_f32_to_tf32", False))}, *extents]
    if meta.get("is_im2col") or meta.get("fp4_padded"):
        raise NotImplementedError("im2col and FP4 descriptors are not simulated from Python")
    size = meta["elem_size"]
    shape, strides = list(value.shape), list(value.strides)
    tensor_map = {"buffer": base.storage.name, "bufferOffset": base.offset, "dtype": ELEMENTS[base.dtype],
                  "dims": shape[::-1], "strides": [n * size for n in strides[:-1]][::-1],
                  "box": list(meta["block_size"])[::-1], "swizzle": SWIZZLES[meta["swizzle"]],
                  "oobFill": "nan" if value.padding == "nan" else "zero"}
    return [{"tensorMap": tensor_map}, *extents]


class _Driver:
    """As much of a driver as Triton asks of one before it launches a kernel."""

    def __init__(self, target):
        self._target = target

    def get_current_device(self):
        return f"tilewright sm_{self._target.arch}"

    def get_current_stream(self, device):
        return 0

    def get_current_target(self):
        return self._target

    def get_active_torch_device(self):
        return importlib.import_module("torch").device("cpu")

    def get_benchmarker(self):
        # The first of all configurations is taken, as simulated times say nothing.
        return lambda call, **options: [0.0, 0.0, 0.0]


def _wrappers(kernel):
    while kernel is not None:
        yield kernel
        kernel = getattr(kernel, "fn", None) if hasattr(kernel, "run") else None


def catch(kernel, grid, architecture, args, kwargs):
    """The launch that ``kernel[grid](*args, **kwargs)`` comes to on a GPU of that architecture."""
    compiler = importlib.import_module("triton.compiler.compiler")
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", architecture, 32)
    active = importlib.import_module("triton.runtime.driver").driver
    launches = []

    def launch(compiled, x, y, z, stream, function, packed, metadata, enter, leave, *values):
        launches.append(Launch(compiled, (x, y, z), values))

    run = property(lambda compiled: functools.partial(launch, compiled))
    before = dict(vars(active))
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: (vars(active).clear(), vars(active).update(before)))
        stack.enter_context(mock.patch.object(compiler.CompiledKernel, "run", run))
        stack.enter_context(mock.patch.object(compiler.CompiledKernel, "_init_handles", lambda compiled: None))
        for wrapper in _wrappers(kernel):
            # What an autotuner finds here must not be taken for what a GPU would choose.
            if isinstance(getattr(wrapper, "cache", None), dict):
                stack.enter_context(mock.patch.dict(wrapper.cache))
        active.set_active(_Driver(target))
        kernel[grid](*args, **kwargs)
    return launches[-1]
