"""NumPy arrays and PyTorch tensors of the CPU as buffers of a simulated GPU."""

import ctypes
import dataclasses
import sys

BASE = 1 << 20  # of every buffer's address: what a kernel is specialised for are the bytes behind it


def is_array(value):
    """Whether a value is a NumPy array or a PyTorch tensor; neither is imported for that."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    return (numpy is not None and isinstance(value, numpy.ndarray)
            or torch is not None and isinstance(value, torch.Tensor))


@dataclasses.dataclass(frozen=True)
class Array:
    """An array as Triton sees it: its type, and an address with the alignment that it has in its storage."""

    dtype: str
    storage: object
    offset: int

    def data_ptr(self):
        return BASE + self.offset


class Storages:
    """The storages of a launch's arrays. Arrays that share one share a buffer."""

    def __init__(self):
        self._found = {}

    def array(self, value):
        """The array of a NumPy array or tensor, or of another object the object itself."""
        if not is_array(value):
            return value
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._tensor(value)
        return self._ndarray(value)

    def all(self):
        return list(self._found.values())

    def _add(self, address, size, owner, writable=True):
        key = address or id(owner)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = Storage(f"array{len(self._found)}", address, size, owner, writable)
        return found

    def _tensor(self, tensor):
        if tensor.device.type != "cpu":
            raise TypeError(f"a tensor is on {tensor.device}; simulate takes tensors of the CPU: use tensor.cpu()")
        memory = tensor.untyped_storage()
        storage = self._add(memory.data_ptr(), memory.nbytes(), memory)
        return Array(str(tensor.dtype).removeprefix("torch."), storage, tensor.data_ptr() - memory.data_ptr())

    def _ndarray(self, array):
        owner = array
        while is_array(owner.base):
            owner = owner.base
        if not owner.flags.c_contiguous and not owner.flags.f_contiguous:
            raise TypeError("an array has no storage of its own; copy it first: array.copy()")
        storage = self._add(owner.ctypes.data, owner.nbytes, owner, owner.flags.writeable)
        return Array(str(array.dtype), storage, array.ctypes.data - owner.ctypes.data)


@dataclasses.dataclass(frozen=True)
class Storage:
    """The memory of arrays, which its owner keeps."""

    name: str
    address: int
    size: int
    owner: object
    writable: bool

    def read(self):
        return ctypes.string_at(self.address, self.size) if self.size else b""

    def write(self, content):
        if content == self.read():
            return
        if not self.writable:
            raise ValueError("the kernel wrote to an array that is read-only")
        ctypes.memmove(self.address, content, self.size)
