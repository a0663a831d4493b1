"""Launches a kernel that Tilewright exported, on tensors of PyTorch or of any library whose tensors say where they are.

    from tilewright_kernel import Kernel
    add = Kernel("folder")
    add(X=x, Y=y, Z=z)

Needs the CUDA driver and a current CUDA context, which PyTorch makes; no Java. Tensors are checked against the
manifest: extents, contiguity, alignment. Scratch memory is the Kernel's own, so that one launch after
the other may use it, not two at once. The launch is enqueued on PyTorch's current stream or the
one given.
"""

import ctypes
import json
import pathlib
import struct

FORMATS = {"u64": "Q", "b64": "Q", "s64": "q", "u32": "I", "b32": "I", "s32": "i", "f32": "f", "f64": "d"}
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
DYNAMIC_SHARED_BYTES = 8
CLUSTER_DIMENSION = 4
FEATURES = {"cooperative": 2, "programmatic": 6}
TENSOR_MAP_BYTES, TENSOR_MAP_ALIGNMENT = 128, 64
MAP_TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz",
             "16u4_align8b", "16u4_align16b", "16u6_align16b"]
SWIZZLES = ["none", "32B", "64B", "128B"]
DTYPES = {"f32": "float32", "tf32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i8": "int8",
          "i32": "int32", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}
LARGEST_EXTENT = 2**30  # kernels count in 32 bits


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
        blocks.append(min(max(1, count), direction.get("most", 2**31 - 1)))
    return tuple(blocks)


def check(argument, tensor, extents):
    """Notes a tensor's extents; raises ValueError for what the kernel does not take."""
    name, shape, stride = tensor_name(argument), tuple(tensor.shape), tuple(tensor.stride())
    dtype = str(tensor.dtype).split(".")[-1]
    if dtype not in (argument["dtype"], DTYPES.get(argument["dtype"])):
        raise ValueError(f"tensor {name} is {dtype}, needed is {argument['dtype']}")
    if not getattr(tensor, "is_cuda", True):
        raise ValueError(f"tensor {name} is not on a GPU")
    if len(shape) != len(argument["extents"]):
        raise ValueError(f"tensor {name} has shape {shape}, needed are {argument['extents']}")
    if tensor.data_ptr() % argument["alignment"]:
        raise ValueError(f"tensor {name} begins at {tensor.data_ptr():#x}, needed is {argument['alignment']}-byte "
                         "alignment")
    for mode, extent in enumerate(argument["extents"]):
        if extents.setdefault(extent, shape[mode]) != shape[mode]:
            raise ValueError(f"tensor {name}: {extent} is {shape[mode]}, but another tensor has {extents[extent]}")
        if shape[mode] > LARGEST_EXTENT:
            raise ValueError(f"tensor {name}: {extent} is {shape[mode]}, needed is at most {LARGEST_EXTENT}")
        if shape[mode] % argument["multiples"].get(extent, 1):
            raise ValueError(f"tensor {name}: {extent} = {shape[mode]} is not a multiple of "
                             f"{argument['multiples'][extent]}")
        if shape[mode] != argument["fixed"].get(extent, shape[mode]):
            raise ValueError(f"tensor {name}: {extent} is {shape[mode]}, but this kernel was made for "
                             f"{argument['fixed'][extent]}")
        if not walks(shape, mode):
            continue
        if extent == argument.get("contiguous") and stride[mode] != 1:
            raise ValueError(f"tensor {name}: the stride of {extent} is {stride[mode]}, needed is 1")
        if extent != argument.get("contiguous") and stride[mode] * argument["bytes"] % argument["alignment"]:
            raise ValueError(f"tensor {name}: the stride of {extent} is {stride[mode]}, needed are multiples of "
                             f"{argument['alignment'] // argument['bytes']}")


def walks(shape, mode):
    """Whether elements can lie a stride of the mode apart: only then does it matter what the stride is."""
    return shape[mode] > 1 and 0 not in shape


def tensor_name(argument):
    """Which tensor a pointer or a tensor map is of."""
    return argument.get("tensor", argument["name"])


def recipe(argument, tensor):
    """A tensor map's extents, strides in bytes and box, innermost first; the first mode is contiguous."""
    shape, stride, order = tuple(tensor.shape), tensor.stride(), argument["order"]
    extents = [max(1, shape[mode]) for mode in order]
    # A stride that is never walked need not be aligned.
    strides = [stride[mode] * argument["bits"] // 8 if walks(shape, mode) else 16 for mode in order[1:]]
    return extents, strides, argument["box"]


def pack(manifest, values, encode=None):
    """The arguments' bytes in order, and the extents, from tensors and numbers by name.

    encode(argument, tensor) makes the bytes of a tensor map.
    """
    extents = {}
    needed = {tensor_name(a) for a in manifest["arguments"] if a["kind"] in ("pointer", "tensorMap", "scalar")}
    if needed != set(values):
        raise ValueError(f"needed are {', '.join(sorted(needed))}, got {', '.join(sorted(values))}")
    for argument in manifest["arguments"]:
        if argument["kind"] in ("pointer", "tensorMap"):
            check(argument, values[tensor_name(argument)], extents)
    for name, count in manifest.get("counts", {}).items():
        tiles = -(-extents[count["of"]] // count["each"])
        if extents[name] != tiles:
            raise ValueError(f"{name} is {extents[name]}, needed is {tiles}: one for each {count['each']} of "
                             f"{count['of']}")
    packed = []
    for argument in manifest["arguments"]:
        kind, name = argument["kind"], argument["name"]
        if kind == "tensorMap":
            packed.append(encode(argument, values[tensor_name(argument)]))
            continue
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


def attributes(manifest):
    """A launch's attributes: each a CUlaunchAttribute of 72 bytes."""
    given = []
    if max(manifest["cluster"]) > 1:
        given.append(struct.pack("i4x3I52x", CLUSTER_DIMENSION, *manifest["cluster"]))
    given += [struct.pack("i4xi60x", FEATURES[name], 1) for name in manifest.get("features", [])]
    return given


class Scratch:
    """A tensor of the kernel's own at an address."""

    def __init__(self, part, address):
        self.dtype, self.shape, self._strides, self._address = part["dtype"], part["extents"], part["strides"], address

    def stride(self):
        return self._strides

    def data_ptr(self):
        return self._address


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
        self.scratch = {part["name"]: self._zeros(part) for part in self.manifest.get("scratch", [])}
        shared = self.manifest["dynamicSharedBytes"]
        self._call("cuFuncSetAttribute", self.function, DYNAMIC_SHARED_BYTES, shared)

    def __call__(self, stream=None, **values):
        packed, extents = pack(self.manifest, {**self.scratch, **values}, self._encode)
        blocks = grid(self.manifest, extents)
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in packed]
        pointers = (ctypes.c_void_p * len(buffers))(*(ctypes.addressof(buffer) for buffer in buffers))
        if stream is None:
            stream = self._current_stream()
        given = attributes(self.manifest)
        held = ctypes.create_string_buffer(b"".join(given))
        launch = struct.pack("7I4xQQI4x", *blocks, *self.manifest["block"], self.manifest["dynamicSharedBytes"], stream,
                             ctypes.addressof(held), len(given))
        self._call("cuLaunchKernelEx", ctypes.create_string_buffer(launch, len(launch)), self.function, pointers, None)

    def _zeros(self, part):
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(part["bytes"]))
        self._call("cuMemsetD8_v2", address, 0, ctypes.c_size_t(part["bytes"]))
        self._call("cuStreamSynchronize", None)  # not every stream waits for that by itself
        return Scratch(part, address.value)

    def _encode(self, argument, tensor):
        """The bytes of a tensor map, which only the driver can make."""
        extents, strides, box = recipe(argument, tensor)
        rank = len(extents)
        memory = ctypes.create_string_buffer(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGNMENT)
        begin = -ctypes.addressof(memory) % TENSOR_MAP_ALIGNMENT
        self._call("cuTensorMapEncodeTiled", ctypes.c_void_p(ctypes.addressof(memory) + begin),
                   MAP_TYPES.index(argument["element"]), rank, ctypes.c_void_p(tensor.data_ptr()),
                   (ctypes.c_uint64 * rank)(*extents), (ctypes.c_uint64 * rank)(*strides),
                   (ctypes.c_uint32 * rank)(*box), (ctypes.c_uint32 * rank)(*[1] * rank), 0,
                   SWIZZLES.index(argument["swizzle"]), 0, 0)
        return memory.raw[begin:begin + TENSOR_MAP_BYTES]

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
