"""Launches that are ready but for their addresses: ctypes structures that are made once for a problem."""

import ctypes
import struct

CLUSTER_DIMENSION = 4
FEATURES = {"cooperative": 2, "programmatic": 6}
ATTRIBUTE_BYTES = 72
TENSOR_MAP_BYTES, TENSOR_MAP_ALIGNMENT = 128, 64
FORMATS = {"u32": "I", "s64": "q", "f32": "f"}
UNUSED_STRIDE = 32  # a stride that is never walked need only be aligned


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig of cuda.h."""

    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint)]


def attributes(kernel):
    """A launch's attributes: each a CUlaunchAttribute of 72 bytes."""
    given = []
    if max(kernel["cluster"]) > 1:
        given.append(struct.pack("i4x3I52x", CLUSTER_DIMENSION, *kernel["cluster"]))
    given += [struct.pack("i4xi60x", FEATURES[name], 1) for name in kernel["features"]]
    return given


def tensor_map(extents, strides):
    """The extents and strides that a tensor map has: CUDA knows no extent of nothing."""
    empty = 0 in extents
    walked = [stride if extent > 1 and not empty else UNUSED_STRIDE for extent, stride in zip(extents[1:], strides)]
    return [max(1, extent) for extent in extents], walked


class _Map:
    __slots__ = ("place", "index", "address", "recipe")

    def __init__(self, place, index, recipe):
        self.place, self.index, self.address, self.recipe = place, index, None, recipe


class Launches:
    """The launches of one problem, for one thread at a time.

    :param names: the buffers' names, in the order in which ``run`` gets their addresses
    :param scalars: FP32 numbers by name
    :param load: gives a kernel's function by its description
    """

    def __init__(self, driver, template, kernels, numbers, names, scalars, load):
        self._driver = driver
        self._maps, self._launches, self._stream = [], [], None
        self._places = {name: index for index, name in enumerate(names)}
        # All addresses lie in one table, where arguments are read from.
        self._table = struct.Struct(f"{len(names)}Q")
        self._addresses = ctypes.create_string_buffer(self._table.size)
        for launch in template.launches:
            self._add(launch, kernels[launch.kernel], numbers, scalars, load)

    def _add(self, launch, kernel, numbers, scalars, load):
        grid, values = launch.values(numbers)
        sizes = [TENSOR_MAP_BYTES if argument[0] == "map" else 8 for argument in launch.arguments]
        memory = ctypes.create_string_buffer(sum(size + TENSOR_MAP_ALIGNMENT for size in sizes))
        begin, places = ctypes.addressof(memory), []
        at = begin
        for size in sizes:
            at += -at % (TENSOR_MAP_ALIGNMENT if size > 8 else 8)
            places.append(at)
            at += size
        for index, (argument, value, place) in enumerate(zip(launch.arguments, values, places)):
            kind = argument[0]
            if kind == "pointer":
                places[index] = ctypes.addressof(self._addresses) + 8 * self._places[argument[1]]
            elif kind == "map":
                _, name, element, _, _, box, steps, swizzle, promotion = argument
                self._maps.append(_Map(place, self._places[name],
                                       (element, *tensor_map(*value), box, steps, swizzle, promotion)))
            else:
                number = scalars[argument[1]] if kind == "f32" else value
                struct.pack_into(FORMATS[kind], memory, place - begin, number)
        given = attributes(kernel)
        held = ctypes.create_string_buffer(b"".join(given), max(1, ATTRIBUTE_BYTES * len(given)))
        config = LaunchConfig((ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*kernel["block"]), kernel["shared"],
                              None, ctypes.addressof(held), len(given))
        pointers = (ctypes.c_void_p * len(places))(*places)
        self._launches.append((config, ctypes.byref(config), load(launch.kernel), pointers, memory, held))

    def run(self, addresses, stream, ordinal):
        """Enqueues the launches on a stream, with buffers at these addresses."""
        self._table.pack_into(self._addresses, 0, *addresses)
        for map in self._maps:
            address = addresses[map.index]
            if address != map.address:
                self._move(map, address, ordinal)
        if stream != self._stream:
            for config, *_ in self._launches:
                config.stream = stream
            self._stream = stream
        launch = self._driver.launch
        for _, reference, function, pointers, _, _ in self._launches:
            status = launch(reference, function, pointers, None)
            if status:
                self._retry(status, reference, function, pointers, ordinal)

    def _move(self, map, address, ordinal):
        if map.address is None:
            self._driver.enter(ordinal)  # a thread of gradients has no context where PyTorch did nothing in it yet
            element, extents, strides, box, steps, swizzle, promotion = map.recipe
            self._driver.encode(map.place, element, address, extents, strides, box, steps, swizzle, promotion)
        elif self._driver.replace_address(map.place, address):
            raise ValueError(f"a tensor at {address:#x} is not aligned to 16 bytes")
        map.address = address

    def _retry(self, status, reference, function, pointers, ordinal):
        """A thread that PyTorch has not used for this GPU yet has no context."""
        from ._driver import INVALID_CONTEXT

        if status == INVALID_CONTEXT:
            self._driver.enter(ordinal)
            status = self._driver.launch(reference, function, pointers, None)
        if status:
            raise RuntimeError(f"cuLaunchKernelEx: {self._driver.message(status)}")
