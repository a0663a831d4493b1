"""Launches a kernel that Tilewright exported, on tensors of PyTorch or of any library whose tensors say where they are.

    from tilewright_kernel import Kernel
    add = Kernel("folder")
    add(X=x, Y=y, Z=z)

Needs the CUDA driver and a current CUDA context, which PyTorch makes; no Java. Tensors are checked against the
manifest: extents that tensors share, contiguity, alignment. The launch is enqueued on PyTorch's current stream or the
one given.
"""

import ctypes
import json
import pathlib
import struct

FORMATS = {"u64": "Q", "b64": "Q", "s64": "q", "u32": "I", "b32": "I", "s32": "i", "f32": "f", "f64": "d"}
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
DYNAMIC_SHARED_BYTES = 8
DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i8": "int8", "u8": "uint8",
          "i32": "int32", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}


def grid(manifest, extents):
    """The blocks in x, y and z for run-time extents by name."""
    formula = manifest["grid"].get("formula")
    if formula is None:
        if extents != manifest["grid"]["extents"]:
            raise ValueError(f"the kernel was exported for {manifest['grid']['extents']} only, got {extents}")
        return tuple(manifest["grid"]["blocks"])
    blocks = []
    for direction in formula:
        count = direction["factor"]
        for name, tile in direction["tiles"].items():
            count *= -(-extents[name] // tile)
        blocks.append(max(1, count))
    return tuple(blocks)


def check(argument, tensor, extents):
    """Notes a tensor's extents; raises ValueError for what the kernel does not take."""
    name, shape, stride = argument["name"], tuple(tensor.shape), tuple(tensor.stride())
    dtype = str(tensor.dtype).split(".")[-1]
    if DTYPES.get(argument["dtype"], dtype) != dtype:
        raise ValueError(f"tensor {name} is {dtype}, needed is {argument['dtype']}")
    if len(shape) != len(argument["extents"]):
        raise ValueError(f"tensor {name} has shape {shape}, needed are {argument['extents']}")
    if tensor.data_ptr() % argument["alignment"]:
        raise ValueError(f"tensor {name} begins at {tensor.data_ptr():#x}, needed is {argument['alignment']}-byte "
                         "alignment")
    for mode, extent in enumerate(argument["extents"]):
        if extents.setdefault(extent, shape[mode]) != shape[mode]:
            raise ValueError(f"tensor {name}: {extent} is {shape[mode]}, but another tensor has {extents[extent]}")
        if shape[mode] % argument["multiples"].get(extent, 1):
            raise ValueError(f"tensor {name}: {extent} = {shape[mode]} is not a multiple of "
                             f"{argument['multiples'][extent]}")
        if extent == argument.get("contiguous") and shape[mode] > 1 and stride[mode] != 1:
            raise ValueError(f"tensor {name}: the stride of {extent} is {stride[mode]}, needed is 1")


def pack(manifest, values):
    """The arguments' bytes in order, and the extents, from tensors and numbers by name."""
    extents = {}
    for argument in manifest["arguments"]:
        if argument["kind"] == "pointer":
            check(argument, values[argument["name"]], extents)
    packed = []
    for argument in manifest["arguments"]:
        kind, name = argument["kind"], argument["name"]
        if kind == "pointer":
            value = values[name].data_ptr()
        elif kind == "stride":
            value = values[argument["tensor"]].stride()[argument["mode"]]
        elif kind == "extent":
            value = extents[name]
        else:
            value = values[name]
        packed.append(struct.pack(FORMATS[argument["type"]], value))
    used = {a["name"]: extents[a["name"]] for a in manifest["arguments"] if a["kind"] == "extent"}
    return packed, used


class Kernel:
    """An exported kernel, loaded into the current CUDA context."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.manifest = json.loads((self.folder / "manifest.json").read_text())
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self._call("cuInit", 0)
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), self._image())
        self._call("cuModuleGetFunction", ctypes.byref(self.function), module, self.manifest["entry"].encode())
        shared = self.manifest["dynamicSharedBytes"]
        self._call("cuFuncSetAttribute", self.function, DYNAMIC_SHARED_BYTES, shared)

    def __call__(self, stream=None, **values):
        packed, extents = pack(self.manifest, values)
        blocks = grid(self.manifest, extents)
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in packed]
        pointers = (ctypes.c_void_p * len(buffers))(*(ctypes.addressof(buffer) for buffer in buffers))
        if stream is None:
            stream = self._current_stream()
        self._call("cuLaunchKernel", self.function, *blocks, *self.manifest["block"],
                   self.manifest["dynamicSharedBytes"], ctypes.c_void_p(stream), pointers, None)

    def _image(self):
        """Machine code for this device where there is some, else PTX, which the driver compiles."""
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self._call("cuCtxGetDevice", ctypes.byref(device))
        self._call("cuDeviceGetAttribute", ctypes.byref(major), CAPABILITY_MAJOR, device)
        self._call("cuDeviceGetAttribute", ctypes.byref(minor), CAPABILITY_MINOR, device)
        for suffix in ("a", ""):
            file = self.manifest["cubins"].get(f"sm_{major.value}{minor.value}{suffix}")
            if file:
                return (self.folder / file).read_bytes()
        return (self.folder / self.manifest["ptx"]).read_bytes() + b"\0"

    @staticmethod
    def _current_stream():
        try:
            import torch

            return torch.cuda.current_stream().cuda_stream
        except ImportError:
            return 0

    def _call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else result}")
