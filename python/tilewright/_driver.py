"""The CUDA driver, as far as launches need it."""

import ctypes

CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
DYNAMIC_SHARED_BYTES = 8
INVALID_CONTEXT = 201
INVALID_CODE = (200, 209, 218, 222, 223)  # an image that this driver or GPU does not take


class DriverError(RuntimeError):
    """What the driver said of a call that failed."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Driver:
    """The functions of libcuda.so.1; ``launch`` and ``replace_address`` are the driver's own, for speed."""

    def __init__(self):
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise RuntimeError(f"no CUDA driver here ({error}): Tilewright's kernels need an NVIDIA GPU and a driver "
                               "from 550 on") from None
        self._call("cuInit", 0)
        self._contexts = {}
        self.launch = self._cuda.cuLaunchKernelEx
        self.launch.restype = ctypes.c_int
        self.replace_address = self._cuda.cuTensorMapReplaceAddress
        self.replace_address.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

    def capability(self, ordinal):
        """The compute capability times ten."""
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), ordinal)
        self._call("cuDeviceGetAttribute", ctypes.byref(major), CAPABILITY_MAJOR, device)
        self._call("cuDeviceGetAttribute", ctypes.byref(minor), CAPABILITY_MINOR, device)
        return 10 * major.value + minor.value

    def enter(self, ordinal):
        """Makes the device's primary context, which PyTorch uses too, the thread's own."""
        context = self._contexts.get(ordinal)
        if context is None:
            device, context = ctypes.c_int(), ctypes.c_void_p()
            self._call("cuDeviceGet", ctypes.byref(device), ordinal)
            self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self._contexts[ordinal] = context
        self._call("cuCtxSetCurrent", context)

    def load(self, image, entry, shared):
        """A function of a cubin or of PTX text, with its dynamic shared memory allowed."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), image)
        self._call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        if shared:
            self._call("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, shared)
        return function

    def zeros(self, size):
        """The address of new memory of zeros."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        self._call("cuMemsetD8_v2", address, 0, ctypes.c_size_t(size))
        self._call("cuStreamSynchronize", None)  # not every stream waits for that by itself
        return address.value

    def encode(self, place, element, address, dims, strides, box, steps, swizzle, promotion):
        """Makes a tensor map at a place; lists begin with the innermost dimension."""
        rank = len(dims)
        self._call("cuTensorMapEncodeTiled", ctypes.c_void_p(place), element, rank, ctypes.c_void_p(address),
                   (ctypes.c_uint64 * rank)(*dims), (ctypes.c_uint64 * rank)(*strides),
                   (ctypes.c_uint32 * rank)(*box), (ctypes.c_uint32 * rank)(*steps), 0, swizzle, promotion, 0)

    def message(self, status):
        """The driver's words for a status."""
        text = ctypes.c_char_p()
        self._cuda.cuGetErrorString(status, ctypes.byref(text))
        return text.value.decode() if text.value else f"error {status}"

    def _call(self, name, *arguments):
        status = getattr(self._cuda, name)(*arguments)
        if status:
            raise DriverError(status, f"{name}: {self.message(status)}")
